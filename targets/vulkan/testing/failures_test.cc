// What Vulkan refuses in the middle of a session's life, and what is possible afterwards.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "support/file.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace {

bool no_commands = false, lost = false;
size_t least_refused = SIZE_MAX;  // bytes that the host does not have

template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// A program's own functions go before those of a shared library.
VkResult vkEndCommandBuffer(VkCommandBuffer commands) {
  const VkResult result = Real<decltype(vkEndCommandBuffer)>("vkEndCommandBuffer")(commands);
  return no_commands ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
}
VkResult vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  if (lost) return VK_ERROR_DEVICE_LOST;
  return Real<decltype(vkQueueSubmit)>("vkQueueSubmit")(queue, count, submits, fence);
}
VkResult vkWaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                         uint64_t timeout) {
  const VkResult result =
      Real<decltype(vkWaitForFences)>("vkWaitForFences")(device, count, fences, all, timeout);
  return lost ? VK_ERROR_DEVICE_LOST : result;
}

// Inlined, one of a pair looks to GCC as if the other were the library's. All that these `delete`s
// give back is taken here: what standard algorithms take for a while is taken without exceptions.
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return bytes < least_refused ? std::malloc(bytes) : nullptr;
}
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace tessera::vulkan {
namespace {

constexpr int64_t kShape[] = {1, 3, 9, 14};

class FailuresTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = *support::ReadFile("targets/vulkan/testing/unet.tvk");
    device_ = tvk_device_open(nullptr, &error_);
    ASSERT_NE(device_, nullptr) << error_.message;
    model_ = tvk_model_load(device_, file_.data(), file_.size(), nullptr, 0, &error_);
    ASSERT_NE(model_, nullptr) << error_.message;
    const int64_t* shapes[] = {kShape};
    session_ = tvk_session_create(model_, shapes, &error_);
    ASSERT_NE(session_, nullptr) << error_.message;
    input_.resize(tvk_session_input_bytes(session_, 0));
    output_.resize(tvk_session_output_bytes(session_, 0));
  }
  void TearDown() override {
    tvk_session_destroy(session_);
    tvk_model_unload(model_);
    tvk_device_close(device_);
  }

  std::string file_;
  tvk_error error_ = {};
  tvk_device* device_ = nullptr;
  tvk_model* model_ = nullptr;
  tvk_session* session_ = nullptr;
  std::vector<uint8_t> input_, output_;
};

// Commands that could not be recorded are not submitted by the next call: it records them.
TEST_F(FailuresTest, CommandsAreRecordedAgain) {
  const void* inputs[] = {input_.data()};
  void* outputs[] = {output_.data()};
  std::vector<double> seconds(tvk_session_dispatch_count(session_));
  const auto submit = [&] { return tvk_session_submit(session_, nullptr, &error_); };
  const auto profile = [&] {
    return tvk_session_profile(session_, inputs, outputs, seconds.data(), &error_);
  };
  no_commands = true;
  EXPECT_EQ(submit(), TVK_OUT_OF_MEMORY);
  EXPECT_EQ(profile(), TVK_OUT_OF_MEMORY);
  no_commands = false;
  const uint64_t before = tvk_device_counters(device_).recordings;
  ASSERT_EQ(submit(), TVK_OK) << error_.message;
  ASSERT_EQ(tvk_session_finish(session_, nullptr, &error_), TVK_OK) << error_.message;
  ASSERT_EQ(profile(), TVK_OK) << error_.message;
  EXPECT_EQ(tvk_device_counters(device_).recordings, before + 2);
}

// Of a file, a copy is made.
TEST_F(FailuresTest, MemoryThatTheHostLacksIsAnError) {
  least_refused = file_.size() / 2;
  tvk_model* const model = tvk_model_load(device_, file_.data(), file_.size(), nullptr, 0, &error_);
  least_refused = SIZE_MAX;
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(error_.code, TVK_OUT_OF_MEMORY);
  EXPECT_STREQ(error_.message, "the host is out of memory");
}

TEST_F(FailuresTest, ALostDeviceIsSaidAgain) {
  const void* inputs[] = {input_.data()};
  void* outputs[] = {output_.data()};
  ASSERT_EQ(tvk_session_begin(session_, inputs, &error_), TVK_OK) << error_.message;
  lost = true;
  EXPECT_EQ(tvk_session_finish(session_, outputs, &error_), TVK_DEVICE_LOST);
  EXPECT_EQ(tvk_session_begin(session_, inputs, &error_), TVK_DEVICE_LOST) << error_.message;
  EXPECT_EQ(tvk_session_run(session_, inputs, outputs, &error_), TVK_DEVICE_LOST);
  lost = false;
}

}  // namespace
}  // namespace tessera::vulkan

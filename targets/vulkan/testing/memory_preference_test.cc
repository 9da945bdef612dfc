// Which ways to compute an operation are taken, by the memory that they need.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/operation.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/runner.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/selection/device_profile.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

constexpr int64_t kPortable = DeviceProfile().binding_bytes;

// Whether 64 filters of 3 by 3 taps over 64 channels are taken apart, for images of H rows.
bool UsesWinograd(const std::string& range, int64_t columns, const MemoryPreference& memory) {
  static const bool registered = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    RegisterOperators();
    return true;
  }();
  (void)registered;
  const std::string image = absl::StrCat("f32[1,64,H,", columns, "]");
  auto graph = ir::Parse(absl::StrCat("ir 1\nsymbol H : ", range, " \"\"\ninput %0 \"x\" : ", image,
                                      "\ninput %1 \"w\" : f32[64,64,3,3]\n"
                                      "%2 = core.Conv(%0, %1) {strides=[1,1], dilations=[1,1], "
                                      "pads_begin=[1,1], pads_end=[1,1], group=1} : ",
                                      image, "\noutput \"y\" = %2\nobligations 0\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return false;
  std::vector<passes::PassReport> reports;
  const absl::Status status =
      passes::Run(**graph, VulkanPipeline(memory), {.print_on_failure = false}, reports);
  EXPECT_TRUE(status.ok()) << status;
  const std::vector<ir::Operation*> ops = (*graph)->TopologicalOrder();
  return std::any_of(ops.begin(), ops.end(),
                     [](const ir::Operation* op) { return op->info().name == "WINOGRAD_PRODUCT"; });
}

TEST(MemoryPreferenceTest, WinogradsMethodIsTakenWhereItsTensorsCanBeBound) {
  // 36 entries of each channel for a tile of 4 by 4: 113 by 128 tiles take 133,300,224 bytes.
  EXPECT_TRUE(UsesWinograd("1..4096", 64, {false, kPortable}));
  EXPECT_TRUE(UsesWinograd("452..4096", 512, {false, kPortable}));
  EXPECT_FALSE(UsesWinograd("453..4096", 512, {false, kPortable}));
  EXPECT_TRUE(UsesWinograd("453..4096", 512, {false, 2 * kPortable}));
}

TEST(MemoryPreferenceTest, WithLeastMemoryItIsNotTaken) {
  EXPECT_FALSE(UsesWinograd("1..4096", 64, {true, kPortable}));
}

}  // namespace
}  // namespace tessera::vulkan

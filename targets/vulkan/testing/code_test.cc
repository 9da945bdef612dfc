// A file whose checksum fits and whose code is another one than the file says.
#include "targets/vulkan/runtime/code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/file.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {
namespace {

constexpr uint32_t kExecutionMode = 16, kCapability = 17, kConstant = 43, kVariable = 59,
                   kDecorate = 71, kTypeFloat = 22, kTypeMatrix = 4456, kMatrixLoad = 4457,
                   kMatrixStore = 4458, kMatrixMultiply = 4459;
constexpr uint32_t kBinding = 33, kDescriptorSet = 34, kStorageBuffer = 12;

// The words behind the first of an instruction.
using Edit = std::function<void(uint32_t instruction, std::span<uint32_t> operands)>;

// What reading says of the file with the first dispatch's kernel edited; empty: it is taken.
std::string Edited(const Edit& edit) {
  const auto text = support::ReadFile("targets/vulkan/testing/unet.tvk");
  if (!text.ok()) return std::string(text.status().message());
  std::vector<uint64_t> words((text->size() + 7) / 8);
  std::memcpy(words.data(), text->data(), text->size());
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(words.data()), text->size());
  const file::Model* model = nullptr;
  if (const Status status = ReadArtifact(bytes, model); !status.ok()) return status.message();
  const uint32_t kernel = model->dispatches()->Get(0)->kernel();
  const flatbuffers::Vector<uint32_t>& code = *model->kernels()->Get(kernel)->code();
  const std::span<uint32_t> all(const_cast<uint32_t*>(code.data()), code.size());
  for (size_t at = 5; at < all.size(); at += all[at] >> 16) {
    const uint32_t length = all[at] >> 16;
    edit(all[at] & 0xFFFF, all.subspan(at + 1, length - 1));
  }
  const size_t body = bytes.size() - kTrailerBytes;
  const uint64_t crc = Crc64(bytes.first(body));
  std::memcpy(bytes.data() + body + 8, &crc, sizeof crc);
  return ReadArtifact(bytes, model).message();
}

void ExpectIn(const std::string& text, const std::string& message) {
  EXPECT_NE(message.find(text), std::string::npos) << message;
}

TEST(CodeTest, IsTakenAsItIs) {
  EXPECT_EQ(Edited([](uint32_t, std::span<uint32_t>) {}), "");
}

TEST(CodeTest, RunsAsManyInvocationsAsTheFileSays) {
  // The built-in constant counts in the place of the execution mode.
  const auto edited = [](bool mode, bool constant) {
    return Edited([=](uint32_t instruction, std::span<uint32_t> operands) {
      if (mode && instruction == kExecutionMode) operands[2] = 128;
      if (constant && instruction == kConstant && operands[2] == 64) operands[2] = 128;
    });
  };
  ExpectIn("runs 128 by 1 by 1 invocations at once, the file says 64", edited(true, true));
  ExpectIn("two sizes of workgroups", edited(true, false));
  ExpectIn("two sizes of workgroups", edited(false, true));
}

TEST(CodeTest, WritesWhatTheFileSaysIsWritten) {
  const auto text = support::ReadFile("targets/vulkan/testing/unet.tvk");
  ASSERT_TRUE(text.ok());
  std::vector<uint64_t> words((text->size() + 7) / 8);
  std::memcpy(words.data(), text->data(), text->size());
  const file::Model* model = nullptr;
  ASSERT_TRUE(ReadArtifact({reinterpret_cast<uint8_t*>(words.data()), text->size()}, model).ok());
  uint32_t read = 0, written = 0, number = 0;
  for (const file::Binding* binding : *model->dispatches()->Get(0)->bindings())
    (binding->written() ? written : read) = ++number;
  ASSERT_GT(read, 0U);
  ASSERT_GT(written, 0U);
  // The two change places.
  ExpectIn("writes binding " + std::to_string(read) + ", which the file says is only read",
           Edited([&](uint32_t instruction, auto operands) {
             if (instruction != kDecorate || operands[1] != kBinding) return;
             if (operands[2] == read)
               operands[2] = written;
             else if (operands[2] == written)
               operands[2] = read;
           }));
}

TEST(CodeTest, UsesWhatTheFileNames) {
  ExpectIn("uses binding 40, which the file does not name",
           Edited([](uint32_t instruction, auto operands) {
             if (instruction == kDecorate && operands[1] == kBinding) operands[2] = 40;
           }));
  ExpectIn("bound by none of the file's numbers", Edited([](uint32_t instruction, auto operands) {
             if (instruction == kDecorate && operands[1] == kDescriptorSet) operands[2] = 1;
           }));
  ExpectIn("storage class 3", Edited([](uint32_t instruction, auto operands) {
             if (instruction == kVariable) operands[2] = 3;
           }));
  ExpectIn("shares memory of a size that is not known",
           Edited([](uint32_t instruction, auto operands) {
             if (instruction == kVariable && operands[2] == kStorageBuffer) operands[2] = 4;
           }));
  ExpectIn("capability 5347", Edited([](uint32_t instruction, auto operands) {
             if (instruction == kCapability) operands[0] = 5347;
           }));
  ExpectIn("features that the file does not name", Edited([](uint32_t instruction, auto operands) {
             if (instruction == kCapability) operands[0] = 10;
           }));
}

// What the validator that is built in does not read: types of matrices are of floats, before them.
TEST(CodeTest, MultipliesMatricesOfFloats) {
  const auto text = support::ReadFile("targets/vulkan/testing/matrices.tvk");
  ASSERT_TRUE(text.ok());
  std::vector<uint64_t> words((text->size() + 7) / 8);
  std::memcpy(words.data(), text->data(), text->size());
  const file::Model* model = nullptr;
  const Status status =
      ReadArtifact({reinterpret_cast<uint8_t*>(words.data()), text->size()}, model);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_NE(static_cast<uint32_t>(model->features()) & TVK_COOPERATIVE_MATRIX, 0U);
  size_t kernels = 0;
  for (const file::Kernel* kernel : *model->kernels()) {
    CodeInterface interface;
    const flatbuffers::Vector<uint32_t>& code = *kernel->code();
    EXPECT_EQ(ReadCode({code.data(), code.size()}, interface), "");
    if ((interface.features & TVK_COOPERATIVE_MATRIX) == 0) continue;
    ++kernels;
    std::map<uint32_t, uint32_t> floats;  // widths by type
    std::map<uint32_t, size_t> matrices;  // types by width of their entries
    std::map<uint32_t, size_t> counts;    // by instruction
    for (uint32_t at = 5; at < code.size(); at += code[at] >> 16) {
      const uint32_t instruction = code[at] & 0xFFFF;
      ++counts[instruction];
      if (instruction == kTypeFloat) floats[code[at + 1]] = code[at + 2];
      if (instruction != kTypeMatrix) continue;
      ASSERT_EQ(code[at] >> 16, 7U);
      ASSERT_EQ(floats.count(code[at + 2]), 1U);
      ++matrices[floats[code[at + 2]]];
    }
    EXPECT_EQ(matrices, (std::map<uint32_t, size_t>{{16, 2}, {32, 1}}));
    for (const uint32_t instruction : {kMatrixLoad, kMatrixStore, kMatrixMultiply})
      EXPECT_GT(counts[instruction], 0U) << instruction;
    EXPECT_EQ(counts[kTypeFloat], 2U);
    EXPECT_EQ(interface.shared_bytes, kernel->shared_bytes());
  }
  EXPECT_GE(kernels, 1U);
}

TEST(CodeTest, SharesWhatTheFileSays) {
  const auto text = support::ReadFile("targets/vulkan/testing/shared.tvk");
  ASSERT_TRUE(text.ok());
  std::vector<uint64_t> words((text->size() + 7) / 8);
  std::memcpy(words.data(), text->data(), text->size());
  const file::Model* model = nullptr;
  ASSERT_TRUE(ReadArtifact({reinterpret_cast<uint8_t*>(words.data()), text->size()}, model).ok());
  size_t sharing = 0;
  for (const file::Kernel* kernel : *model->kernels()) {
    CodeInterface interface;
    EXPECT_EQ(ReadCode({kernel->code()->data(), kernel->code()->size()}, interface), "");
    EXPECT_EQ(interface.shared_bytes, kernel->shared_bytes());
    if (kernel->shared_bytes() == 0) continue;
    ++sharing;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(file::CreateKernel(
        builder, builder.CreateVector(kernel->code()->data(), kernel->code()->size()),
        kernel->workgroup(), kernel->bindings(), kernel->parameters(), kernel->checks(),
        builder.CreateVector(kernel->texels()->data(), kernel->texels()->size()),
        builder.CreateVector(kernel->quads()->data(), kernel->quads()->size()),
        kernel->shared_bytes() - 4));
    ExpectIn("bytes among its invocations, the file says",
             CheckCode(*flatbuffers::GetRoot<file::Kernel>(builder.GetBufferPointer()),
                       static_cast<uint32_t>(model->features()),
                       {interface.written.begin(), interface.written.end()}));
  }
  EXPECT_GE(sharing, 1U);
}

}  // namespace
}  // namespace tessera::vulkan

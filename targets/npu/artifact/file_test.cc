// Artifacts as bytes: what is written is what is read, and what is damaged is refused, or runs
// without harm.
#include "targets/npu/artifact/file.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "support/aligned_copy.h"
#include "targets/npu/execution/executor.h"

namespace tessera::ops {
const ir::Dialect& NpuLayersOps();
}

namespace tessera::npu {
namespace {

using ::testing::HasSubstr;

ProgramOperand At(std::vector<int64_t> shape, DataType type, RegionKind region, int64_t offset) {
  ProgramOperand operand;
  operand.mode = Mode::kDefault;
  operand.shape = std::move(shape);
  operand.type = type;
  operand.address = {region, offset};
  return operand;
}

ir::Tensor Bytes(int64_t count, uint32_t seed) {
  ir::Tensor bytes = *ir::Tensor::Allocate(ir::DType::kU8, {count});
  std::mt19937 random(seed);
  std::generate_n(bytes.mutable_data<uint8_t>(), count,
                  [&] { return static_cast<uint8_t>(random() >> 24); });
  return bytes;
}

// An affine layer with a table, a convolution, a copy that keeps a state, and a graph for the host.
Bundle Sample() {
  Program program;
  program.device = "gna-3.0";
  program.region(RegionKind::kInput).size = 128;
  program.region(RegionKind::kOutput).size = 1024;
  program.region(RegionKind::kScratch).size = 512;
  program.region(RegionKind::kState) = {128, Bytes(128, 1), 128, true};
  program.region(RegionKind::kReadOnly) = {4096, Bytes(4096, 2), 4096, true};
  ProgramOperation affine;
  affine.type = OperationType::kFullyConnectedAffine;
  affine.operands = {At({32, 1}, DataType::kInt16, RegionKind::kInput, 0),
                     At({32, 1}, DataType::kInt16, RegionKind::kScratch, 0),
                     At({32, 32}, DataType::kInt8, RegionKind::kReadOnly, 0),
                     At({32}, DataType::kCompoundBias, RegionKind::kReadOnly, 1024),
                     At({16}, DataType::kPwlSegment, RegionKind::kReadOnly, 1280)};
  affine.note = {"a", "net/a", 1000, 2000, 3000, true, 16, 15, 0.001, false};
  ProgramOperation row;
  row.type = OperationType::kConvolution;
  row.operands = {At({1, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                  At({1, 7, 4}, DataType::kInt32, RegionKind::kOutput, 0),
                  At({4, 8}, DataType::kInt16, RegionKind::kReadOnly, 1472),
                  At({4}, DataType::kInt32, RegionKind::kReadOnly, 1536)};
  row.parameters["convolution_stride"] = {4};
  ProgramOperation copy;
  copy.type = OperationType::kCopy;
  copy.operands = {At({1, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                   At({1, 32}, DataType::kInt16, RegionKind::kState, 0)};
  copy.parameters["copy_shape"] = {1, 32};
  program.operations = {affine, row, copy};
  program.inputs = {{"x", {32, 1}, DataType::kInt16, {RegionKind::kInput, 0}, 1000}};
  program.outputs = {{"sums", {1, 28}, DataType::kInt32, {RegionKind::kOutput, 0}, 12345.678}};
  program.states = {{"h", "a"}};
  Bundle bundle;
  bundle.device = program.device;
  bundle.inputs = {{"x", ir::DType::kF32, {32, -1}}};
  bundle.outputs = {{"y", ir::DType::kF32, {-1, 28}}};
  bundle.stages.resize(2);
  bundle.stages[0].program = program;
  bundle.stages[1].text =
      "ir 1\ninput %0 \"sums\" : f32[1,28]\n%1 = npu.Part(%0) {starts=[0,0], sizes=[1,28]} : "
      "f32[1,28]\n"
      "%2 = npu.PositivePart(%1) : f32[1,28]\noutput \"y\" = %2\nobligations 0\n";
  bundle.frames = "T";
  bundle.frame_inputs = {{"x", 1}};
  bundle.frame_outputs = {{"y", 0}};
  bundle.gates = {{{"gate", 1, 1, 1}, {32, 1}}};
  bundle.device_share = 0.75;
  bundle.metadata["made"] = "by hand";
  return bundle;
}

// An image that is convolved and pooled, scaled entries of it, and a transposition.
Bundle ImageSample() {
  Program program;
  program.device = "gna-3.0";
  program.region(RegionKind::kInput).size = 4096;
  program.region(RegionKind::kOutput).size = 2048;
  program.region(RegionKind::kScratch).size = 1024;
  program.region(RegionKind::kReadOnly) = {4096, Bytes(4096, 3), 4096, true};
  ProgramOperation image;
  image.type = OperationType::kConvolution;
  image.operands = {At({1, 16, 16, 8}, DataType::kInt16, RegionKind::kInput, 0),
                    At({1, 7, 7, 8}, DataType::kInt16, RegionKind::kScratch, 0),
                    At({8, 3, 3, 8}, DataType::kInt16, RegionKind::kReadOnly, 0),
                    At({8}, DataType::kInt32, RegionKind::kReadOnly, 1152),
                    At({16}, DataType::kPwlSegment, RegionKind::kReadOnly, 1216)};
  image.parameters = {{"convolution_stride", {1, 1}},
                      {"zero_padding", {0, 0}},
                      {"pooling_mode", {kPoolingMax}},
                      {"pooling_window", {2, 2}},
                      {"pooling_stride", {2, 2}}};
  ProgramOperation diagonal;
  diagonal.type = OperationType::kElementWiseAffine;
  diagonal.operands = {At({384, 1}, DataType::kInt16, RegionKind::kScratch, 0),
                       At({384, 1}, DataType::kInt32, RegionKind::kOutput, 0),
                       At({384}, DataType::kInt16, RegionKind::kReadOnly, 1344),
                       At({384}, DataType::kInt32, RegionKind::kReadOnly, 2112)};
  ProgramOperation transposition;
  transposition.type = OperationType::kTransposition;
  transposition.operands = {At({8, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                            At({32, 8}, DataType::kInt16, RegionKind::kOutput, 1536)};
  program.operations = {image, diagonal, transposition};
  program.inputs = {{"x", {1, 16, 16, 8}, DataType::kInt16, {RegionKind::kInput, 0}, 1000}};
  program.outputs = {{"y", {384, 1}, DataType::kInt32, {RegionKind::kOutput, 0}, 1000},
                     {"t", {32, 8}, DataType::kInt16, {RegionKind::kOutput, 1536}, 1000}};
  Bundle bundle;
  bundle.device = program.device;
  bundle.inputs = {{"x", ir::DType::kF32, {1, 16, 16, 8}}};
  bundle.outputs = {{"y", ir::DType::kF32, {384, 1}}, {"t", ir::DType::kF32, {32, 8}}};
  bundle.stages.resize(1);
  bundle.stages[0].program = program;
  return bundle;
}

absl::StatusOr<Bundle> Read(const std::string& bytes) {
  const support::AlignedCopy copy(bytes);
  return ReadArtifact(copy.bytes);
}

// Reads and runs; ok where both go well.
absl::Status ReadAndRun(const std::string& bytes) {
  absl::StatusOr<Bundle> bundle = Read(bytes);
  if (!bundle.ok()) return bundle.status();
  std::vector<ir::Tensor> inputs;
  for (const NetworkPort& port : bundle->inputs) {
    std::vector<int64_t> shape = port.dims;
    std::replace(shape.begin(), shape.end(), int64_t{-1}, int64_t{3});
    absl::StatusOr<ir::Tensor> input = ir::Tensor::Allocate(port.dtype, shape);
    if (!input.ok() || input->size() > 1 << 16) return absl::OkStatus();
    inputs.push_back(*std::move(input));
  }
  absl::StatusOr<Executor> executor = Executor::Create(*std::move(bundle));
  if (!executor.ok()) return executor.status();
  return executor->Run(inputs).status();
}

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool once = [] {
      ir::Registry::Global().Add(ops::NpuLayersOps());
      return true;
    }();
    static_cast<void>(once);
  }
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string bytes = WriteArtifact(Sample());
  EXPECT_TRUE(IsArtifact(bytes));
  EXPECT_EQ(bytes, WriteArtifact(Sample()));
  const absl::StatusOr<Bundle> bundle = Read(bytes);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(WriteArtifact(*bundle), bytes);
  EXPECT_EQ(bundle->metadata.at("made"), "by hand");
  EXPECT_EQ(bundle->stages[0].program->operations[0].note.scope, "net/a");
  EXPECT_TRUE(ReadAndRun(bytes).ok()) << ReadAndRun(bytes);
}

TEST_F(FileTest, StatesAreKeptAndBeginAnew) {
  Bundle bundle = Sample();
  bundle.stages[0].program->operations[0].operands[kInput].address = {RegionKind::kState, 0};
  absl::StatusOr<Executor> executor = Executor::Create(bundle), again = Executor::Create(bundle);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const ir::Tensor x = *ir::Tensor::Allocate(ir::DType::kF32, {32, 2});
  const ir::Tensor one = *ir::Tensor::Allocate(ir::DType::kF32, {32, 1});
  const auto both = executor->Run({x});
  const auto first = again->Run({one}), second = again->Run({one});
  ASSERT_TRUE(both.ok() && first.ok() && second.ok());
  for (int64_t i = 0; i < 28; ++i) {
    EXPECT_EQ((*both)[0].AsDouble(i), (*first)[0].AsDouble(i));
    EXPECT_EQ((*both)[0].AsDouble(28 + i), (*second)[0].AsDouble(i));
  }
}

TEST_F(FileTest, WhatTheDeviceRefusesIsRefusedAtLoading) {
  const auto error = [](auto change) {
    Bundle bundle = Sample();
    change(bundle);
    return std::string(Read(WriteArtifact(bundle)).status().message());
  };
  EXPECT_THAT(error([](Bundle& b) {
                b.stages[0].program->operations[0].operands[kInput].shape = {30, 1};
              }),
              HasSubstr("operation 0 (FullyConnectedAffine), operand 0 (input), dimension 0: "
                        "ShapeDimensions NotMultiplicity, is 30; gna-3.0 affine.input.H: "));
  EXPECT_THAT(error([](Bundle& b) {
                b.stages[0].program->operations[0].operands[kWeights].address.offset = 8;
              }),
              HasSubstr("NotAligned"));
  EXPECT_THAT(error([](Bundle& b) {
                b.stages[0].program->operations[1].operands[kOutput].address.offset = 960;
              }),
              HasSubstr("112 bytes at byte 960 of region `output`, which has 1024"));
  EXPECT_THAT(error([](Bundle& b) {
                b.stages[0].program->operations[1].operands[kOutput].address.region =
                    RegionKind::kReadOnly;
              }),
              HasSubstr("is not to be written"));
  EXPECT_THAT(error([](Bundle& b) { b.device = "gna-9.9"; }), HasSubstr("no device `gna-9.9`"));
  EXPECT_THAT(error([](Bundle& b) { b.stages[0].program->inputs[0].scale = 0; }),
              HasSubstr("a scale of 0"));
}

TEST_F(FileTest, SaysWhatIsNoArtifact) {
  const auto message = [](const std::string& bytes) {
    return std::string(Read(bytes).status().message());
  };
  EXPECT_THAT(message(""), HasSubstr("no NPU artifact"));
  EXPECT_THAT(message("12345678 something else"), HasSubstr("bytes 4 to 7 are not `TNPU`"));
  std::string bytes = WriteArtifact(Sample());
  EXPECT_THAT(message(bytes.substr(0, bytes.size() / 2)), HasSubstr("verifier refuses"));
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] + 1);
  EXPECT_FALSE(Read(bytes).ok());
}

// Every second one has the digest that it would have if it had been written so.
void ExpectCorruptionsAreHarmless(const std::string& original, uint32_t seed) {
  const absl::Status sound = ReadAndRun(original);
  ASSERT_TRUE(sound.ok()) << sound;
  std::mt19937 random(seed);
  int refused = 0, ran = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = original;
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < edits; ++k) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
          break;
        case 2: {
          const size_t from = random() % bytes.size();
          const size_t count = std::min({size_t{8}, bytes.size() - at, bytes.size() - from});
          std::copy_n(std::string(bytes).begin() + static_cast<ptrdiff_t>(from), count,
                      bytes.begin() + static_cast<ptrdiff_t>(at));
          break;
        }
        case 3:
          if (random() % 8 == 0) bytes.resize(std::max<size_t>(at, 8));
          break;
      }
    }
    if (bytes == original) continue;
    const bool intact = i % 2 == 0 || bytes.size() != original.size();
    if (!intact) Sign(bytes);
    const absl::Status status = ReadAndRun(bytes);
    ++(status.ok() ? ran : refused);
    if (intact) {
      EXPECT_FALSE(status.ok()) << i;
    }
  }
  // Most of what is signed again changed weights or names alone.
  EXPECT_GT(refused, 500);
  EXPECT_GT(ran, 50);
}

TEST_F(FileTest, ThousandCorruptions) { ExpectCorruptionsAreHarmless(WriteArtifact(Sample()), 7); }

TEST_F(FileTest, ThousandCorruptionsOfLayersOfImages) {
  ExpectCorruptionsAreHarmless(WriteArtifact(ImageSample()), 8);
}

}  // namespace
}  // namespace tessera::npu

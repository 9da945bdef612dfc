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
#include "targets/npu/artifact/sample_bundles.h"
#include "targets/npu/execution/executor.h"

namespace tessera::ops {
const ir::Dialect& NpuLayersOps();
}

namespace tessera::npu {
namespace {

using example::ImageSample;
using example::RowSample;
using example::Sample;
using ::testing::HasSubstr;

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

TEST_F(FileTest, ThousandCorruptionsOfLayersOfRows) {
  ExpectCorruptionsAreHarmless(WriteArtifact(RowSample()), 9);
}

// Generations that add limits, or lift them.
TEST_F(FileTest, ThousandCorruptionsOnTheFirstGeneration) {
  for (const char* device : {"gna-1.0", "gna-1.0e"}) {
    SCOPED_TRACE(device);
    ExpectCorruptionsAreHarmless(WriteArtifact(RowSample(device, false)), 10);
  }
}

TEST_F(FileTest, ThousandCorruptionsOnLaterGenerations) {
  for (const char* device : {"gna-3.1", "gna-3.5"}) {
    SCOPED_TRACE(device);
    ExpectCorruptionsAreHarmless(WriteArtifact(Sample(device)), 11);
    ExpectCorruptionsAreHarmless(WriteArtifact(ImageSample(device)), 12);
  }
}

TEST_F(FileTest, GatesAndFramesThatThereAreNone) {
  const auto error = [](auto change) {
    Bundle bundle = Sample();
    change(bundle);
    return std::string(Read(WriteArtifact(bundle)).status().message());
  };
  EXPECT_EQ(error([](Bundle& b) { b.frame_outputs[0].axis = -1; }), "");
  const absl::StatusOr<Bundle> read = Read(WriteArtifact(Sample()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->gates[2].window, (GateWindow{3, 1, 1, 2}));
  EXPECT_THAT(error([](Bundle& b) { b.frame_outputs[0].axis = -2; }), HasSubstr("along axis -2"));
  EXPECT_THAT(error([](Bundle& b) { b.gates[1].kind = static_cast<GateKind>(kGateKinds); }),
              HasSubstr("a gate of the unknown kind 5"));
  EXPECT_THAT(error([](Bundle& b) { b.gates[1].window.size = 0; }), HasSubstr("there are none of"));
  EXPECT_THAT(error([](Bundle& b) { b.gates[1].window.stride = 2; }),
              HasSubstr("there are none of"));
  EXPECT_THAT(error([](Bundle& b) { b.gates[1].shape = {32, 2}; }), HasSubstr("no shape"));
}

}  // namespace
}  // namespace tessera::npu

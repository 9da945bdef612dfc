// Weights as narrow floats in blocks: what the file holds, and that it is read again.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

constexpr int64_t kInputs = 64, kChannels = 6;
constexpr double kLevels[] = {-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6};

// On the grids of blocks of 32, or, where `off`, anywhere.
double WeightAt(int64_t k, int64_t channel, bool off) {
  const auto level = static_cast<size_t>((k * 7 + channel) % 15);
  const double scale = std::ldexp(1, static_cast<int>(k / 32 + channel) - 4);
  return scale * (off ? 6 * std::sin(static_cast<double>(17 * k + 23 * channel)) : kLevels[level]);
}

class NarrowWeights : public CompressionTest {
 protected:
  static void SetUpTestSuite() {
    CompressionTest::SetUpTestSuite();
    folder_ = SampleFolder("narrow", {40, kInputs});
  }
  static std::string Model(int opset, bool off) {
    onnx::ModelProto model = Parsed(absl::StrCat(R"(<ir_version: 8, opset_import: ["" : )", opset,
                                                 R"(]> g (float[N,64] x) => (float[N,6] y) {
                                                      y = MatMul(x, w)
                                                    })"));
    onnx::TensorProto& tensor = AddFloats(model, "w", {kInputs, kChannels});
    for (int64_t k = 0; k < kInputs; ++k) {
      for (int64_t c = 0; c < kChannels; ++c)
        tensor.add_float_data(static_cast<float>(WeightAt(k, c, off)));
    }
    return Written(model, absl::StrCat("narrow", opset, off));
  }
  static absl::StatusOr<CompressionConfiguration> Configuration(const std::string& more) {
    return ParseCompression(
        "c.yaml",
        absl::StrCat("compression: {algorithm: weight_compression, mode: mxfp4, all_layers: true",
                     more, "}"));
  }
  static inline std::string folder_;
};

TEST_F(NarrowWeights, StandInBlocksOfOnnxsOwn) {
  const CompressionRequest request{Model(24, false), "", {}};
  const auto compressed = Compress(request, *Configuration(""));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  std::map<std::string, onnx::TensorProto> tensors;
  for (const onnx::TensorProto& tensor : made.graph().initializer())
    tensors[tensor.name()] = tensor;
  ASSERT_EQ(tensors.size(), 2u);
  const onnx::TensorProto &codes = tensors["w_quantized"], &scales = tensors["w_scale"];
  constexpr int kFloat4E2M1 = 23, kFloat8E8M0 = 24;  // of ONNX
  EXPECT_EQ(codes.data_type(), kFloat4E2M1);
  EXPECT_EQ(scales.data_type(), kFloat8E8M0);
  ASSERT_EQ(scales.raw_data().size(), static_cast<size_t>(2 * kChannels));
  ASSERT_EQ(codes.raw_data().size(), static_cast<size_t>(kInputs * kChannels / 2));
  const onnx::NodeProto& node = made.graph().node(0);
  EXPECT_EQ(node.op_type(), "DequantizeLinear");
  EXPECT_EQ(node.input_size(), 2);
  // Read by hand: the sign, two bits of exponent, one of mantissa, the first in the lower half.
  constexpr double kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int64_t i = 0; i < kInputs * kChannels; ++i) {
    const auto byte = static_cast<uint8_t>(codes.raw_data()[static_cast<size_t>(i / 2)]);
    const int code = i % 2 == 0 ? byte & 15 : byte >> 4;
    const int64_t k = i / kChannels, c = i % kChannels;
    const auto exponent =
        static_cast<uint8_t>(scales.raw_data()[static_cast<size_t>(k / 32 * kChannels + c)]);
    const double value =
        (code & 8 ? -1 : 1) * kMagnitudes[code & 7] * std::ldexp(1, exponent - 127);
    EXPECT_EQ(value, WeightAt(k, c, false)) << k << " " << c;
  }
  const auto qualities = Compare(request, compressed->model, {folder_});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_EQ((*qualities)[0].largest, 0);
}

TEST_F(NarrowWeights, GainByRegardForData) {
  const auto snr = [&](const std::string& data) {
    const CompressionRequest request{Model(24, true), data, {}};
    const auto compressed = Compress(request, *Configuration(""));
    EXPECT_TRUE(compressed.ok()) << compressed.status();
    return (*Compare(request, compressed->model, {folder_}))[0].snr;
  };
  const double blind = snr("");
  EXPECT_GT(blind, 15);
  EXPECT_GT(snr(folder_), blind + 3);
}

TEST_F(NarrowWeights, NeedWhatOnnxHasSinceOpset24) {
  const auto compressed = Compress({Model(23, false), "", {}}, *Configuration(""));
  EXPECT_NE(compressed.status().message().find("needs opset 24"), std::string::npos)
      << compressed.status();
  const absl::Status packed = Configuration(", format: matmul_nbits").status();
  EXPECT_NE(packed.message().find("`format` of `mxfp4`"), std::string::npos) << packed;
}

}  // namespace
}  // namespace tessera::tools

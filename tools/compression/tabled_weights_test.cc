// Weights as codes for entries of a table: what the file holds, and that it is read again.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "passes/compression/weights/tabled_product.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

constexpr int64_t kInputs = 64, kChannels = 6;

// A code for each of a channel's weights, of all 16, and a scale per block of 32.
int CodeAt(int64_t k, int64_t channel) { return static_cast<int>((k * 7 + channel) % 16); }
float ScaleAt(int64_t k, int64_t channel) {
  return static_cast<float>(0.1 + 0.07 * static_cast<double>(channel + k / 32));
}

// On the grids, or, where `off`, anywhere.
float WeightAt(int64_t k, int64_t channel, bool off) {
  if (off) return std::sin(static_cast<float>(17 * k + 23 * channel));
  const auto code = static_cast<size_t>(CodeAt(k, channel));
  return static_cast<float>(compression::NormalFloats()[code]) * ScaleAt(k, channel);
}

absl::StatusOr<CompressionConfiguration> Configuration(const std::string& more) {
  return ParseCompression(
      "c.yaml",
      absl::StrCat("compression: {algorithm: weight_compression, all_layers: true, ", more, "}"));
}

class TabledWeights : public CompressionTest {
 protected:
  static void SetUpTestSuite() {
    CompressionTest::SetUpTestSuite();
    folder_ = SampleFolder("tabled", {40, kInputs});
  }
  static std::string Model(int opset, bool off) {
    onnx::ModelProto model = Parsed(absl::StrCat(R"(<ir_version: 8, opset_import: ["" : )", opset,
                                                 R"(]> g (float[N,64] x) => (float[N,6] y) {
                                                      y = Gemm<transB = 1>(x, w, b)
                                                    })"));
    onnx::TensorProto& weight = AddFloats(model, "w", {kChannels, kInputs});
    for (int64_t c = 0; c < kChannels; ++c) {
      for (int64_t k = 0; k < kInputs; ++k) weight.add_float_data(WeightAt(k, c, off));
    }
    onnx::TensorProto& bias = AddFloats(model, "b", {kChannels});
    for (int64_t c = 0; c < kChannels; ++c) bias.add_float_data(static_cast<float>(c) - 2);
    return Written(model, absl::StrCat("tabled", opset, off));
  }
  static inline std::string folder_;
};

TEST_F(TabledWeights, AreANodeOfOnnxRuntimes) {
  const CompressionRequest request{Model(17, false), "", {}};
  const auto compressed = Compress(request, *Configuration("mode: nf4, group_size: 32"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  ASSERT_EQ(made.graph().node_size(), 2);
  const onnx::NodeProto& node = made.graph().node(0);
  EXPECT_EQ(node.domain(), "com.microsoft");
  EXPECT_EQ(node.op_type(), "MatMulBnb4");
  EXPECT_EQ(made.graph().node(1).op_type(), "Add");
  std::map<std::string, int64_t> attributes;
  for (const onnx::AttributeProto& attribute : node.attribute())
    attributes[attribute.name()] = attribute.i();
  EXPECT_EQ(attributes,
            (std::map<std::string, int64_t>{
                {"K", kInputs}, {"N", kChannels}, {"block_size", 32}, {"quant_type", 1}}));
  std::map<std::string, onnx::TensorProto> tensors;
  for (const onnx::TensorProto& tensor : made.graph().initializer())
    tensors[tensor.name()] = tensor;
  const std::string& codes = tensors[node.input(1)].raw_data();
  ASSERT_EQ(codes.size(), static_cast<size_t>(kInputs * kChannels / 2));
  // Row after row, the first of two in the upper half.
  for (int64_t i = 0; i < kInputs * kChannels; ++i) {
    const auto byte = static_cast<uint8_t>(codes[static_cast<size_t>(i / 2)]);
    EXPECT_EQ(i % 2 == 0 ? byte >> 4 : byte & 15, CodeAt(i % kInputs, i / kInputs)) << i;
  }
  const auto qualities = Compare(request, compressed->model, {folder_});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_LT((*qualities)[0].largest, 1e-6);
}

TEST_F(TabledWeights, AreLookedUpByOnnxsOwnNodes) {
  const CompressionRequest request{Model(21, false), "", {}};
  const auto compressed =
      Compress(request, *Configuration("mode: nf4, group_size: 32, format: lookup"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  for (const onnx::NodeProto& node : made.graph().node()) EXPECT_EQ(node.domain(), "");
  EXPECT_EQ(made.graph().node(0).op_type(), "Cast");
  EXPECT_EQ(made.graph().node(1).op_type(), "Gather");
  const auto qualities = Compare(request, compressed->model, {folder_});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_LT((*qualities)[0].largest, 1e-6);
}

TEST_F(TabledWeights, GainByRegardForData) {
  const auto snr = [&](const std::string& data) {
    const CompressionRequest request{Model(17, true), data, {}};
    const auto compressed = Compress(request, *Configuration("mode: nf4"));
    EXPECT_TRUE(compressed.ok()) << compressed.status();
    return (*Compare(request, compressed->model, {folder_}))[0].snr;
  };
  const double blind = snr("");
  EXPECT_GT(blind, 15);
  EXPECT_GT(snr(folder_), blind + 3);
}

TEST_F(TabledWeights, NeedGroupsThatDivideRows) {
  const auto compressed =
      Compress({Model(17, true), "", {}}, *Configuration("mode: nf4, group_size: 128"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  // 8 bits in its place, and why.
  bool told = false;
  for (const compression::LayerReport& layer : compressed->controller.Statistics())
    told = told || layer.what.find("no multiple of the group of 128") != std::string::npos;
  EXPECT_TRUE(told);
  const auto old = Compress({Model(20, true), "", {}}, *Configuration("mode: nf4, format: lookup"));
  EXPECT_NE(old.status().message().find("needs opset 21"), std::string::npos) << old.status();
  for (const auto& [text, said] : std::map<std::string, std::string>{
           {"mode: nf4, format: dequantize_linear", "is `matmul_bnb4` or `lookup`"},
           {"mode: nf4, group_size: 24", "a power of two from 16 on"},
           {"mode: int4_sym, format: lookup", "have no table"}}) {
    const absl::Status status = Configuration(text).status();
    EXPECT_NE(status.message().find(said), std::string::npos) << text << ": " << status;
  }
}

// Those of ONNX Runtime do; such a product gets codes of ONNX's own.
TEST_F(TabledWeights, TakeVectorsWhereTheirNodesDo) {
  onnx::ModelProto model = Parsed(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[64] x) => (float[6] y) { y = MatMul(x, w) })");
  onnx::TensorProto& weight = AddFloats(model, "w", {kInputs, kChannels});
  for (int64_t k = 0; k < kInputs; ++k) {
    for (int64_t c = 0; c < kChannels; ++c) weight.add_float_data(WeightAt(k, c, true));
  }
  const std::string folder = SampleFolder("tabled_vector", {kInputs});
  const CompressionRequest request{Written(model, "tabled_vector"), "", {}};
  for (const char* how :
       {"mode: int4_asym, group_size: 16, format: matmul_nbits", "mode: nf4, group_size: 32",
        "mode: nf4, group_size: 32, format: lookup"}) {
    const auto compressed = Compress(request, *Configuration(how));
    ASSERT_TRUE(compressed.ok()) << how << ": " << compressed.status();
    ASSERT_EQ(compressed->commands.size(), 1u) << how;
    const auto qualities = Compare(request, compressed->model, {folder});
    ASSERT_TRUE(qualities.ok()) << how << ": " << qualities.status();
    EXPECT_GT((*qualities)[0].worst, 15) << how;
  }
}

}  // namespace
}  // namespace tessera::tools

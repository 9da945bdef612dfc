// Weights that meet large inputs are made larger before they are stored in few bits.
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

constexpr int64_t kInputs = 64, kChannels = 16;
constexpr char kInBits[] =
    "{algorithm: weight_compression, mode: int4_asym, all_layers: true, "
    "group_size: 32, format: dequantize_linear, data_aware: false}";

class Awq : public CompressionTest {
 protected:
  static void SetUpTestSuite() {
    CompressionTest::SetUpTestSuite();
    folder_ = SampleFolder("awq", {40, kInputs});
  }

  // Two matrices that read the same value, which a gain whose entries differ much and a term make,
  // and what stands behind them.
  static std::string Model(const char* name, const char* between) {
    onnx::ModelProto model = Parsed(absl::StrCat(R"(<ir_version: 10, opset_import: ["" : 21]>
      g (float[N,64] x) => (float[N,16] y) {
        m = Mul(x, gain)
        a = Add(m, term)
        b = )",
                                                 between, R"((a)
        c = MatMul(b, w1)
        d = MatMul(b, w2)
        y = Add(c, d)
      })"));
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    onnx::TensorProto& gain = AddFloats(model, "gain", {kInputs});
    for (int64_t i = 0; i < kInputs; ++i) gain.add_float_data(std::exp(1.5F * normal(random)));
    const std::pair<const char*, std::vector<int64_t>> others[] = {
        {"term", {kInputs}}, {"w1", {kInputs, kChannels}}, {"w2", {kInputs, kChannels}}};
    for (const auto& [constant, dims] : others) {
      onnx::TensorProto& tensor = AddFloats(model, constant, dims);
      const int64_t size = dims.size() == 1 ? dims[0] : dims[0] * dims[1];
      for (int64_t i = 0; i < size; ++i) tensor.add_float_data(0.3F * normal(random));
    }
    return Written(model, name);
  }

  static Compressed Made(const std::string& file, const std::string& algorithms) {
    auto compressed =
        Compress({file, folder_, {}},
                 *ParseCompression("c.yaml", absl::StrCat("compression: [", algorithms, "]")));
    EXPECT_TRUE(compressed.ok()) << compressed.status();
    return *std::move(compressed);
  }
  static double Worst(const std::string& file, const std::string& model) {
    const auto qualities = Compare({file, folder_, {}}, model, {folder_});
    EXPECT_TRUE(qualities.ok()) << qualities.status();
    return (*qualities)[0].worst;
  }
  static inline std::string folder_;
};

// Constants change, and the network computes what it did, a bound of 0 in between or none.
TEST_F(Awq, IsTakenInByWhatMakesTheInputs) {
  for (const char* between : {"Identity", "Relu"}) {
    const std::string file = Model("awq_folded", between);
    const Compressed scaled = Made(file, "{algorithm: awq, group_size: 32}");
    EXPECT_EQ(scaled.commands.size(), 4u) << between;  // gain, term, two matrices
    EXPECT_GT(Worst(file, scaled.model), 120);
    onnx::ModelProto made;
    ASSERT_TRUE(made.ParseFromString(scaled.model));
    for (const onnx::NodeProto& node : made.graph().node())
      EXPECT_TRUE(node.op_type() == "MatMul" || node.op_type() == "Add" ||
                  node.op_type() == "Mul" || node.op_type() == between);
    EXPECT_EQ(made.graph().node_size(), 6);
  }
}

TEST_F(Awq, GainsWhereInputsDiffer) {
  const std::string file = Model("awq_gains", "Relu");
  const double plain = Worst(file, Made(file, kInBits).model);
  const double scaled =
      Worst(file, Made(file, absl::StrCat("{algorithm: awq, group_size: 32}, ", kInBits)).model);
  EXPECT_GT(scaled, plain + 1);
}

// A sigmoid lets no factor through.
TEST_F(Awq, LeavesWhatTakesNoFactors) {
  const std::string file = Model("awq_left", "Sigmoid");
  EXPECT_TRUE(Made(file, "{algorithm: awq, group_size: 32}").commands.empty());
}

TEST_F(Awq, NeedsSamplesAndSaysWhatItsModeDoesNotTake) {
  const std::string file = Model("awq_refused", "Relu");
  const auto compressed =
      Compress({file, "", {}}, *ParseCompression("c.yaml", "compression: {algorithm: awq}"));
  ASSERT_FALSE(compressed.ok());
  EXPECT_NE(compressed.status().message().find("`--data` is missing"), std::string::npos)
      << compressed.status();
  const auto wrong =
      ParseCompression("c.yaml", "compression: {algorithm: awq, mode: int8_sym, group_size: 32}");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.status().message().find("group_size"), std::string::npos) << wrong.status();
}

}  // namespace
}  // namespace tessera::tools

// Weights that became zero: which, and that they stay so.
#include <algorithm>
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

constexpr int64_t kInputs = 64, kChannels = 16;
constexpr char kPattern[] = "{algorithm: magnitude_sparsity, pattern: \"2:4\"}";

class Sparsity : public CompressionTest {
 protected:
  static void SetUpTestSuite() {
    CompressionTest::SetUpTestSuite();
    folder_ = SampleFolder("sparsity", {40, kInputs});
  }

  static std::string Model() {
    onnx::ModelProto model = Parsed(R"(<ir_version: 10, opset_import: ["" : 21]>
      g (float[40,64] x) => (float[40,16] y) {
        a = MatMul(x, v)
        b = Relu(a)
        y = MatMul(b, w)
      })");
    AddFilled(model, "v", {kInputs, kInputs});
    AddFilled(model, "w", {kInputs, kChannels});
    return Written(model, "sparsity");
  }

  static void AddFilled(onnx::ModelProto& model, const char* name,
                        const std::vector<int64_t>& dims) {
    onnx::TensorProto& tensor = AddFloats(model, name, dims);
    int64_t size = 1;
    for (const int64_t dim : dims) size *= dim;
    for (int64_t i = 0; i < size; ++i)
      tensor.add_float_data(static_cast<float>(std::sin(1.7 * static_cast<double>(i * i % 1009))));
  }

  static absl::StatusOr<Compressed> Made(const std::string& file, const std::string& data,
                                         const std::string& algorithms) {
    const auto configuration =
        ParseCompression("c.yaml", absl::StrCat("compression: [", algorithms, "]"));
    if (!configuration.ok()) return configuration.status();
    return Compress({file, data, {}}, *configuration);
  }

  // The elements of an initializer of bytes or halves of them.
  static std::vector<int> Codes(const onnx::TensorProto& tensor) {
    constexpr int kU4 = 21, kI4 = 22;  // of ONNX
    std::vector<int> codes;
    for (const char byte : tensor.raw_data()) {
      const auto bits = static_cast<uint8_t>(byte);
      if (tensor.data_type() == kU4 || tensor.data_type() == kI4) {
        for (const int half : {bits & 15, bits >> 4})
          codes.push_back(tensor.data_type() == kI4 && half > 7 ? half - 16 : half);
      } else {
        codes.push_back(tensor.data_type() == onnx::TensorProto::INT8 ? byte : bits);
      }
    }
    return codes;
  }

  // How many of the weights of a matrix, stored as codes in blocks of so many inputs, are not zero;
  // -1: more than two of four neighbouring inputs.
  static int NotZero(const std::string& bytes, const std::string& name, int64_t block,
                     int64_t channels) {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(bytes));
    std::map<std::string, onnx::TensorProto> tensors;
    for (const onnx::TensorProto& tensor : model.graph().initializer())
      tensors[tensor.name()] = tensor;
    const std::vector<int> codes = Codes(tensors[name + "_quantized"]);
    const std::vector<int> points = Codes(tensors[name + "_zero_point"]);
    EXPECT_EQ(codes.size(), static_cast<size_t>(kInputs * channels));
    int count = 0;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t begin = 0; begin < kInputs; begin += 4) {
        int here = 0;
        for (int64_t k = begin; k < begin + 4; ++k) {
          const auto grid = static_cast<size_t>(k / block * channels + c);
          const int point = points.empty() ? 0 : points.at(grid);
          here += codes.at(static_cast<size_t>(k * channels + c)) != point ? 1 : 0;
        }
        if (here > 2) return -1;
        count += here;
      }
    }
    return count;
  }

  static inline std::string folder_;
};

// With samples weights make up for others, and for what was rounded before: those that are left.
TEST_F(Sparsity, StaysInWhatFollows) {
  const std::string file = Model();
  struct Following {
    const char* algorithm;
    int64_t block;
  };
  const auto sparse = Made(file, folder_, kPattern);
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(sparse->model));
  const std::string came_sparse = Written(parsed, "came_sparse");
  for (const Following& following :
       {Following{"{algorithm: quantization}", kInputs},
        {"{algorithm: quantization, activations: {mode: dynamic}}", kInputs},
        {"{algorithm: weight_compression, mode: int4_asym, group_size: 16, all_layers: true}", 16},
        {"{algorithm: weight_compression, mode: int4_sym, group_size: 32, all_layers: true}", 32},
        {"{algorithm: weight_compression}", kInputs}}) {
    const auto at_once = Made(file, folder_, absl::StrCat(kPattern, ", ", following.algorithm));
    const auto later = Made(came_sparse, folder_, following.algorithm);
    ASSERT_TRUE(at_once.ok() && later.ok()) << at_once.status() << later.status();
    for (const Compressed* made : {&*at_once, &*later}) {
      // Some are rounded to zero besides.
      EXPECT_GT(NotZero(made->model, "v", following.block, kInputs), 1500) << following.algorithm;
      EXPECT_GT(NotZero(made->model, "w", following.block, kChannels), 370) << following.algorithm;
    }
    const auto qualities = Compare({came_sparse, folder_, {}}, at_once->model, {folder_});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    EXPECT_GT((*qualities)[0].worst, 15) << following.algorithm;
  }
}

// Of three matrices of 8 inputs and of 6, along those.
TEST_F(Sparsity, PatternsHoldInStacksOfMatrices) {
  for (const int64_t inputs : {int64_t{8}, int64_t{6}}) {
    constexpr int64_t kStack = 3, kResults = 12;
    onnx::ModelProto model =
        Parsed(absl::StrCat("<ir_version: 8, opset_import: [\"\" : 17]> g (float[3,2,", inputs,
                            "] x) => (float[3,2,12] y) { y = MatMul(x, w) }"));
    AddFilled(model, "w", {kStack, inputs, kResults});
    const auto made = Made(Written(model, "stack"), "", kPattern);
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_TRUE(model.ParseFromString(made->model));
    std::string bytes = model.graph().initializer(0).raw_data();
    const auto* w = reinterpret_cast<const float*>(bytes.data());
    ASSERT_EQ(bytes.size(), static_cast<size_t>(kStack * inputs * kResults) * sizeof(float));
    for (int64_t m = 0; m < kStack; ++m) {
      for (int64_t c = 0; c < kResults; ++c) {
        for (int64_t begin = 0; begin < inputs; begin += 4) {
          int stay = 0;
          for (int64_t k = begin; k < std::min(inputs, begin + 4); ++k)
            stay += w[(m * inputs + k) * kResults + c] != 0 ? 1 : 0;
          EXPECT_EQ(stay, 2) << inputs << " " << m << " " << c << " " << begin;
        }
      }
    }
  }
}

// Products that share a weight share the sparse one; what is none keeps it as it was, and that a
// second one is stored is said.
TEST_F(Sparsity, IsOfProductsAlone) {
  for (const bool shared : {true, false}) {
    onnx::ModelProto model =
        Parsed(absl::StrCat(R"(<ir_version: 8, opset_import: ["" : 17]>
          g (float[40,64] x) => (float[40,64] y) {
            a = MatMul(x, v) )",
                            shared ? "y = MatMul(a, v) }" : "y = Mul(a, b) b = ReduceMean(v) }"));
    AddFilled(model, "v", {kInputs, kInputs});
    // In the order of computation.
    if (!shared) model.mutable_graph()->mutable_node()->SwapElements(1, 2);
    const auto made = Made(Written(model, "shared_sparse"), "", kPattern);
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_TRUE(model.ParseFromString(made->model));
    EXPECT_EQ(model.graph().initializer_size(), shared ? 1 : 2);
    EXPECT_EQ(made->controller.Summary().find("1 of them are copies") == std::string::npos, shared)
        << made->controller.Summary();
  }
}

}  // namespace
}  // namespace tessera::tools

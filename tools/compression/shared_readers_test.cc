// Values and weights that are read at several places, of one node or of several.
#include <cmath>
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

using Shapes = std::vector<std::pair<const char*, std::vector<int64_t>>>;

class SharedReaders : public CompressionTest {
 protected:
  static void SetUpTestSuite() {
    CompressionTest::SetUpTestSuite();
    folder_ = SampleFolder("shared", {4, 6});
  }

  // A network of `x`, of rows of 6, with these nodes and constants.
  static std::string Model(const std::string& nodes, const Shapes& constants, int opset = 17) {
    onnx::ModelProto model =
        Parsed(absl::StrCat("<ir_version: 8, opset_import: [\"\" : ", opset, "]>\n",
                            "g (float[4,6] x) => (float[A,B] y) {\n", nodes, "\n}"));
    for (const auto& [name, dims] : constants) {
      onnx::TensorProto& tensor = AddFloats(model, name, dims);
      int64_t size = 1;
      for (const int64_t dim : dims) size *= dim;
      // Rows and columns of different sizes.
      for (int64_t i = 0; i < size; ++i)
        tensor.add_float_data(static_cast<float>(
            std::sin(3.7 * static_cast<double>(i)) *
            std::ldexp(1, static_cast<int>(i % dims.back()) - static_cast<int>(i / dims.back()))));
    }
    return Written(model, "shared");
  }

  static Compressed Made(const std::string& file, const std::string& preset) {
    auto compressed = Compress({file, folder_, {}}, *ReadPreset(preset));
    EXPECT_TRUE(compressed.ok()) << preset << ": " << compressed.status();
    return compressed.ok() ? *std::move(compressed) : Compressed();
  }

  // The worst SNR of what a preset makes of it, dB.
  static double SnrOf(const std::string& file, const std::string& preset) {
    const Compressed made = Made(file, preset);
    if (made.model.empty()) return -1;
    const auto qualities = Compare({file, folder_, {}}, made.model, {folder_});
    EXPECT_TRUE(qualities.ok()) << qualities.status();
    return qualities.ok() ? (*qualities)[0].worst : -1;
  }

  static inline std::string folder_;
};

TEST_F(SharedReaders, MayBeOneNode) {
  const Shapes square = {{"w", {6, 6}}};
  for (const auto& [nodes, constants] : std::vector<std::pair<std::string, Shapes>>{
           {"y = Mul(x, x)", {}},
           {"y = Add(x, x)", {}},
           {"t = Transpose(x)  y = MatMul(t, x)", {}},
           {"a = MatMul(x, w)  y = Mul(a, a)", square},
           {"y = Gemm(x, w, x)", square},
           {"y = LayerNormalization(x, gain)", {{"gain", {6}}}}}) {
    for (const char* preset : {"int8", "int8-all", "circle", "int16x8"})
      EXPECT_GT(SnrOf(Model(nodes, constants), preset), 25) << preset << ": " << nodes;
  }
}

// What stands before a product that is smoothed would stand before the node's other operand too.
TEST_F(SharedReaders, AreNotSmoothedWithAnOperandThatIsNone) {
  const std::string file =
      Model("a = Mul(x, gain)  y = Gemm(a, w, a)", {{"gain", {6}}, {"w", {6, 6}}});
  const auto smoothed =
      Compress({file, folder_, {}},
               *ParseCompression("c.yaml",
                                 "compression: {algorithm: smoothing, least_gain: -200, "
                                 "least_shift_gain: -200}"));
  ASSERT_TRUE(smoothed.ok()) << smoothed.status();
  const auto qualities = Compare({file, folder_, {}}, smoothed->model, {folder_});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_GT((*qualities)[0].worst, 120);
}

TEST_F(SharedReaders, OfAWeightMayReadItAlongDifferentAxes) {
  for (const auto& [nodes, constants] : std::vector<std::pair<std::string, Shapes>>{
           {"a = MatMul(x, w)  y = Gemm<transB = 1>(a, w)", {{"w", {6, 6}}}},
           {"a = MatMul(x, w)  y = Gemm<transB = 1>(a, w)", {{"w", {6, 9}}}},
           {"a = Gemm<transB = 1>(x, w)  y = MatMul(a, w)", {{"w", {9, 6}}}}}) {
    for (const char* preset : {"dynamic-int8", "int8", "int8-all", "circle", "weights-int8"})
      EXPECT_GT(SnrOf(Model(nodes, constants), preset), 18) << preset << ": " << nodes;
  }
}

// ONNX Runtime computes products on integers with scales of a matrix alone, and of its own
// channels.
TEST_F(SharedReaders, HaveOneScaleWhereRuntimesTakeNoOther) {
  for (const auto& [nodes, constants] : std::vector<std::pair<std::string, Shapes>>{
           {"a = MatMul(x, w)  y = Gemm<transB = 1>(a, w)", {{"w", {6, 6}}}},
           {"a = MatMul(x, w)  s = Constant<value_ints = [0]>()  y = Squeeze(a, s)",
            {{"w", {1, 6, 5}}}},
           {"a = MatMul(x, w)  s = Constant<value_ints = [0]>()  y = ReduceSum<keepdims = 0>(a, s)",
            {{"w", {3, 6, 5}}}}}) {
    for (const char* preset : {"int8", "int8-all", "circle"}) {
      const std::string file = Model(nodes, constants);
      EXPECT_GT(SnrOf(file, preset), 18) << preset << ": " << nodes;
      onnx::ModelProto made;
      ASSERT_TRUE(made.ParseFromString(Made(file, preset).model));
      int scales = 0;
      for (const onnx::TensorProto& tensor : made.graph().initializer()) {
        if (tensor.name() != "w_scale") continue;
        ++scales;
        EXPECT_EQ(tensor.dims_size(), 0) << preset << ": " << nodes;
      }
      EXPECT_EQ(scales, 1) << preset << ": " << nodes;
    }
  }
}

// What is fitted to data makes up for its own rounding alone: the others read what the file has.
TEST_F(SharedReaders, ThatAreNoProductKeepTheWeight) {
  const std::string file =
      Model("a = MatMul(x, w)  m = ReduceMean(w)  b = Mul(a, m)  y = MatMul(b, v)",
            {{"w", {6, 6}}, {"v", {6, 5}}}, 21);
  for (const char* mode : {"int4_asym, group_size: 3", "int4_sym, group_size: 6"}) {
    const auto configuration = ParseCompression(
        "c.yaml", absl::StrCat("compression: {algorithm: weight_compression, all_layers: true, ",
                               "mode: ", mode, "}"));
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    const auto made = Compress({file, folder_, {}}, *configuration);
    ASSERT_TRUE(made.ok()) << made.status();
    const auto qualities = Compare({file, folder_, {}}, made->model, {folder_});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    EXPECT_GT((*qualities)[0].worst, 10) << mode;
  }
}

TEST_F(SharedReaders, OfAWeightAreCountedOnce) {
  const Compressed made =
      Made(Model("a = MatMul(x, w)  y = MatMul(a, w)", {{"w", {6, 6}}}), "weights-int8");
  EXPECT_NE(made.controller.Summary().find("1 weights (0 rounded by results; 144 bytes, now 66)"),
            std::string::npos)
      << made.controller.Summary();
}

}  // namespace
}  // namespace tessera::tools

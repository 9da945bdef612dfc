// What import clauses make of attributes that are left out.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "ir/registry.h"
#include "testing/imports/node_results.h"
#include "testing/imports/node_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}

namespace tessera::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

NodeTest Parsed(const std::string& text) {
  static const bool added = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    return true;
  }();
  (void)added;
  NodeTests tests;
  const absl::Status status = ParseNodeTests(text, "test", tests);
  EXPECT_TRUE(status.ok()) << status;
  return tests.empty() ? NodeTest{} : tests.begin()->second[0];
}

onnx::TensorProto Floats(const std::vector<float>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const float value : values) tensor.add_float_data(value);
  return tensor;
}

onnx::TensorProto Integers(onnx::TensorProto::DataType type, const std::vector<int64_t>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t value : values) {
    if (type == onnx::TensorProto::INT64) {
      tensor.add_int64_data(value);
    } else {
      tensor.add_int32_data(static_cast<int32_t>(value));
    }
  }
  return tensor;
}

TEST(Defaults, VersionSixClipsToTheLargestFloats) {
  NodeTest test = Parsed(R"(<ir_version: 8, opset_import: ["" : 6]>
      clip (float[4] x) => (float[4] y) { y = Clip (x) })");
  test.inputs[0] = Floats({kInfinity, -kInfinity, 1, kLargest});
  test.outputs = {Floats({kLargest, -kLargest, 1, kLargest})};
  EXPECT_EQ(ResultsOf(test).problem, "");
}

TEST(Defaults, BeforeThemClipHasNoBounds) {
  NodeTest test = Parsed(R"(<ir_version: 8, opset_import: ["" : 1]>
      clip (float[2] x) => (float[2] y) { y = Clip <min = 0.0> (x) })");
  test.inputs[0] = Floats({kInfinity, -kInfinity});
  test.outputs = {Floats({kInfinity, 0})};
  EXPECT_EQ(ResultsOf(test).problem, "");
}

// The lists of the other type are needed only where they are chosen.
TEST(Defaults, IntegersAreImputedByIntegers) {
  NodeTest test = Parsed(R"(<ir_version: 8, opset_import: ["ai.onnx.ml" : 1]>
      impute (int64[2, 2] x) => (int64[2, 2] y)
      { y = ai.onnx.ml.Imputer <imputed_value_int64s = [4, 5], replaced_value_int64 = 1> (x) })");
  test.inputs[0] = Integers(onnx::TensorProto::INT64, {1, 2, 3, 1});
  test.outputs = {Integers(onnx::TensorProto::INT64, {4, 2, 3, 5})};
  for (onnx::TensorProto* tensor : {&*test.inputs[0], &test.outputs[0]}) {
    tensor->clear_dims();
    tensor->add_dims(2);
    tensor->add_dims(2);
  }
  EXPECT_EQ(ResultsOf(test).problem, "");
}

TEST(Defaults, WithoutItsListImputingIsRefused) {
  NodeTest test = Parsed(R"(<ir_version: 8, opset_import: ["ai.onnx.ml" : 1]>
      impute (int64[1, 2] x) => (int64[1, 2] y)
      { y = ai.onnx.ml.Imputer <imputed_value_floats = [4.0]> (x) })");
  test.inputs[0] = Integers(onnx::TensorProto::INT64, {1, 2});
  EXPECT_NE(ResultsOf(test).problem.find("imputed_value_int64s"), std::string::npos)
      << ResultsOf(test).problem;
}

// Not computed from the scale, which may be infinite.
TEST(Defaults, TheZeroPointOfAnyScaleIsZero) {
  NodeTest test = Parsed(R"(<ir_version: 8, opset_import: ["" : 13]>
      quantize (float[3] x, float[3] scale) => (uint8[3] y) { y = QuantizeLinear <axis = 0> (x, scale) })");
  test.inputs = {Floats({2, 5, 7}), Floats({1, kInfinity, 2})};
  test.outputs = {Integers(onnx::TensorProto::UINT8, {2, 0, 4})};
  const NodeResults results = ResultsOf(test);
  EXPECT_EQ(results.problem, "");
  EXPECT_EQ(results.ops.count("Mul"), 0u);
}

}  // namespace
}  // namespace tessera::testing

// Networks on integers from input to output: between which nodes values are rounded.
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

using Shapes = std::vector<std::pair<const char*, std::vector<int64_t>>>;

class NetworkIntegers : public CompressionTest {
 protected:
  // The file, once it is quantized so often.
  static std::string Quantized(const char* text, const Shapes& constants,
                               const std::vector<int64_t>& sample, int times) {
    onnx::ModelProto model = Parsed(text);
    for (const auto& [name, dims] : constants) {
      onnx::TensorProto& tensor = AddFloats(model, name, dims);
      int64_t size = 1;
      for (const int64_t dim : dims) size *= dim;
      for (int64_t i = 0; i < size; ++i)
        tensor.add_float_data(static_cast<float>(i * 29 % 31) / 15 - 1);
    }
    const std::string file = Written(model, "network"), folder = SampleFolder("network", sample);
    const auto configuration =
        ParseCompression("c.yaml", "compression: {algorithm: quantization, operations: network}");
    std::string bytes;
    for (int i = 0; i < times; ++i) {
      const auto compressed = Compress(CompressionRequest{file, folder, {}}, *configuration);
      EXPECT_TRUE(compressed.ok()) << compressed.status();
      bytes = compressed->model;
      std::ofstream(file, std::ios::binary) << bytes;
    }
    return bytes;
  }

  // The values that are rounded where one node hands them to the next. To quantize twice changes
  // nothing.
  static std::multiset<std::string> Rounded(const char* text, const Shapes& constants,
                                            const std::vector<int64_t>& sample) {
    const std::string bytes = Quantized(text, constants, sample, 1);
    EXPECT_EQ(Quantized(text, constants, sample, 2), bytes);
    onnx::ModelProto made;
    EXPECT_TRUE(made.ParseFromString(bytes));
    std::multiset<std::string> rounded;
    for (const onnx::NodeProto& node : made.graph().node()) {
      if (node.op_type() == "QuantizeLinear") rounded.insert(node.input(0));
    }
    return rounded;
  }
};

// The biases of the second product are its own operand: it is not the addition behind the first.
TEST_F(NetworkIntegers, AreBetweenProductsWithoutAnActivation) {
  EXPECT_EQ(Rounded(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,6,5] x) => (float[N,5,M,K] y) {
        a = Conv<group = 3>(x, w1, b1)
        b = Conv(a, w2, b2)
        r = Relu(b)
        y = Conv(r, w3)
      })",
                    {{"w1", {6, 1, 1, 1}},
                     {"b1", {6}},
                     {"w2", {4, 6, 1, 1}},
                     {"b2", {4}},
                     {"w3", {5, 4, 1, 1}}},
                    {2, 3, 6, 5})
                .size(),
            4);  // x, a, r, y
}

TEST_F(NetworkIntegers, AreBehindWhatSelects) {
  EXPECT_EQ(Rounded(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,6,5] x) => (float[N,5,M,K] y) {
        a = Conv(x, w1, b1)
        r = Relu(a)
        p = MaxPool<kernel_shape = [2, 2]>(r)
        y = Conv(p, w2)
      })",
                    {{"w1", {4, 3, 1, 1}}, {"b1", {4}}, {"w2", {5, 4, 1, 1}}}, {2, 3, 6, 5})
                .size(),
            4);  // x, r, p, y
}

// A constant under two names is stored under both.
TEST_F(NetworkIntegers, AreConstantsThatNodesCopy) {
  EXPECT_EQ(Rounded(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3] x) => (float[N,3] y) {
        copy = Identity(s)
        a = Mul(x, s)
        y = Mul(a, copy)
      })",
                    {{"s", {3}}}, {7, 3})
                .size(),
            3);  // x, a, y
}

// What is added behind a product is part of it.
TEST_F(NetworkIntegers, AreNotBeforeABias) {
  EXPECT_EQ(Rounded(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3] x) => (float[N,5] y) {
        a = MatMul(x, w1)
        b = Add(a, b1)
        y = MatMul(b, w2)
      })",
                    {{"w1", {3, 6}}, {"b1", {6}}, {"w2", {6, 5}}}, {7, 3})
                .size(),
            3);  // x, b, y
}

}  // namespace
}  // namespace tessera::tools

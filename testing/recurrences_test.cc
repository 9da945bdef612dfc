// Recurrent layers of any length are their steps: as a loop, the artifact computes at each length
// what the reference does, and what the artifact for that length does, which is unrolled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "onnx/defs/parser.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

using ir::DType;
using ir::Tensor;

constexpr double kTolerance = 1e-5;
constexpr int64_t kRows = 2, kInputs = 3, kUnits = 4;

struct Layer {
  std::string op;
  int64_t gates;
  std::string attributes;
  int64_t directions = 1;
  std::vector<std::string> given;  // of b n h c p
  bool batch_first = false;
};

// What a failing test is called.
std::ostream& operator<<(std::ostream& out, const Layer& layer) {
  return out << layer.op << layer.attributes << " of " << absl::StrJoin(layer.given, ", ");
}

std::string Model(const Layer& layer) {
  const int64_t d = layer.directions, g = layer.gates * kUnits;
  const std::string states =
      layer.batch_first ? absl::StrCat("float[2,", d, ",4]") : absl::StrCat("float[", d, ",2,4]");
  const std::map<std::string, std::string> types = {
      {"b", absl::StrCat("float[", d, ",", 2 * g, "]")},
      {"n", "int32[2]"},
      {"h", states},
      {"c", states},
      {"p", absl::StrCat("float[", d, ",12]")}};
  std::vector<std::string> declared = {layer.batch_first ? "float[2,T,3] x" : "float[T,2,3] x",
                                       absl::StrCat("float[", d, ",", g, ",3] w"),
                                       absl::StrCat("float[", d, ",", g, ",4] r")};
  std::vector<std::string> operands = {"x", "w", "r"};
  const size_t states_count = layer.gates == 4 ? 2 : 1;
  for (const std::string name : {"b", "n", "h", "c", "p"}) {
    const bool given = std::find(layer.given.begin(), layer.given.end(), name) != layer.given.end();
    if (given) declared.push_back(absl::StrCat(types.at(name), " ", name));
    operands.push_back(given ? name : "");
  }
  while (operands.back().empty()) operands.pop_back();
  return absl::StrCat("g (", absl::StrJoin(declared, ", "), ") => (",
                      layer.batch_first ? absl::StrCat("float[2,T,", d, ",4] y, ")
                                        : absl::StrCat("float[T,", d, ",2,4] y, "),
                      states, " yh", states_count == 2 ? absl::StrCat(", ", states, " yc") : "",
                      ") { y, yh", states_count == 2 ? ", yc" : "", " = ", layer.op,
                      " <hidden_size = 4", layer.attributes, "> (", absl::StrJoin(operands, ", "),
                      ") }");
}

std::unique_ptr<ir::Graph> Imported(const Layer& layer, const std::string& dim) {
  const std::string text =
      absl::StrCat("<ir_version: 8, opset_import: [\"\" : 14]>\n", Model(layer));
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  if (const auto status = parser.Parse(model); !status.IsOK()) {
    ADD_FAILURE() << status.ErrorMessage() << "\n" << text;
    return nullptr;
  }
  onnx_import::ImportOptions options;
  if (!dim.empty()) options.dims.push_back(*onnx_import::ParseDimOption(dim));
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  auto imported = onnx_import::ImportBytes(
      {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "m.onnx", options);
  if (!imported.ok()) {
    ADD_FAILURE() << imported.status();
    return nullptr;
  }
  return std::move(imported->graph);
}

std::vector<Tensor> InputsOf(const ir::Graph& graph, int64_t length) {
  uint32_t state = 7;
  std::vector<Tensor> inputs;
  for (const ir::Value* input : graph.inputs()) {
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const ir::Expr& dim : input->type().dims) {
      shape.push_back(dim.Constant().value_or(length));
      count *= shape.back();
    }
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(static_cast<double>(state) / 4294967296.0 * 2 - 1);
    }
    if (input->type().dtype == DType::kI32)
      values = {static_cast<float>((length + 1) / 2), static_cast<float>(length)};
    inputs.push_back(Tensor::Of<float>(input->type().dtype, shape, values));
  }
  return inputs;
}

std::unique_ptr<circle::Executor> Artifact(const Layer& layer, const std::string& dim) {
  const std::unique_ptr<ir::Graph> graph = Imported(layer, dim);
  if (graph == nullptr) return nullptr;
  const auto compiled = circle::Compile(*graph, {});
  const auto bytes = compiled.ok() ? circle::WriteCircle(compiled->model) : compiled.status();
  if (!bytes.ok()) {
    ADD_FAILURE() << bytes.status();
    return nullptr;
  }
  const support::AlignedCopy copy(*bytes);
  auto executor = circle::Executor::Create(copy.bytes, copy.owner);
  if (!executor.ok()) {
    ADD_FAILURE() << executor.status();
    return nullptr;
  }
  return std::make_unique<circle::Executor>(*std::move(executor));
}

void ExpectNear(const absl::StatusOr<std::vector<Tensor>>& results,
                const std::vector<Tensor>& expected, const std::string& what) {
  ASSERT_TRUE(results.ok()) << what << ": " << results.status();
  ASSERT_EQ(results->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ((*results)[i].shape(), expected[i].shape()) << what;
    for (int64_t k = 0; k < expected[i].size(); ++k) {
      const double wanted = expected[i].AsDouble(k);
      EXPECT_NEAR((*results)[i].AsDouble(k), wanted, kTolerance * std::max(1.0, std::abs(wanted)))
          << what << ", output " << i << ", element " << k;
    }
  }
}

class Recurrences : public ::testing::TestWithParam<Layer> {
 protected:
  static void SetUpTestSuite() {
    ir::Registry::Global().Add(ops::CoreOps());
    circle::RegisterOperators();
  }
};

TEST_P(Recurrences, AreTheirSteps) {
  const Layer& layer = GetParam();
  const std::unique_ptr<ir::Graph> graph = Imported(layer, "");
  ASSERT_NE(graph, nullptr);
  const auto reference = reference::Executor::Create(*graph);
  ASSERT_TRUE(reference.ok()) << reference.status();
  const std::unique_ptr<circle::Executor> loop = Artifact(layer, "");
  ASSERT_NE(loop, nullptr);
  // A condition and a body for each direction.
  EXPECT_EQ(loop->model().graphs.size(), static_cast<size_t>(1 + 2 * layer.directions));
  for (int64_t length : {1, 2, 5}) {
    const std::vector<Tensor> inputs = InputsOf(*graph, length);
    const auto expected = reference->Run(inputs);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ExpectNear(loop->Run(inputs), *expected, absl::StrCat("as a loop, at ", length));
    const std::unique_ptr<circle::Executor> unrolled = Artifact(layer, absl::StrCat("T=", length));
    ASSERT_NE(unrolled, nullptr);
    EXPECT_EQ(unrolled->model().graphs.size(), 1u);
    ExpectNear(unrolled->Run(inputs), *expected, absl::StrCat("unrolled, at ", length));
  }
}

TEST_P(Recurrences, ThatAreLongAreLoops) {
  const Layer& layer = GetParam();
  const std::unique_ptr<circle::Executor> shorter = Artifact(layer, "T=300");
  const std::unique_ptr<circle::Executor> longer = Artifact(layer, "T=4000");
  ASSERT_TRUE(shorter != nullptr && longer != nullptr);
  ASSERT_EQ(longer->model().graphs.size(), static_cast<size_t>(1 + 2 * layer.directions));
  // The first differs by rooms that are constants where they are small.
  for (size_t g = 1; g < longer->model().graphs.size(); ++g) {
    EXPECT_EQ(shorter->model().graphs[g].operators.size(),
              longer->model().graphs[g].operators.size());
  }
}

const std::string kBoth = ", direction = \"bidirectional\"";
const std::string kBack = ", direction = \"reverse\"";

INSTANTIATE_TEST_SUITE_P(
    Layers, Recurrences,
    ::testing::Values(
        Layer{"LSTM", 4, ""}, Layer{"LSTM", 4, kBack, 1, {"b", "h"}},
        Layer{"LSTM", 4, kBack, 1, {"n", "c"}},
        Layer{"LSTM", 4, kBoth, 2, {"b", "n", "h", "c", "p"}},
        Layer{"LSTM", 4, ", layout = 1, clip = 0.5, input_forget = 1", 1, {"b", "p"}, true},
        Layer{
            "LSTM", 4, ", activations = [\"HardSigmoid\", \"Softsign\", \"ScaledTanh\"]", 1, {"n"}},
        Layer{"GRU", 3, ""}, Layer{"GRU", 3, kBack + ", linear_before_reset = 1", 1, {"b", "n"}},
        Layer{"GRU", 3, kBoth + ", linear_before_reset = 1, clip = 0.7", 2, {"b", "n", "h"}},
        Layer{"GRU", 3, ", layout = 1", 1, {"b", "h"}, true}, Layer{"RNN", 1, ""},
        Layer{"RNN", 1, kBack + ", clip = 0.4", 1, {"b", "n", "h"}},
        Layer{"RNN", 1, kBoth + ", activations = [\"LeakyRelu\", \"Elu\"]", 2, {"b"}}));

}  // namespace
}  // namespace tessera::testing

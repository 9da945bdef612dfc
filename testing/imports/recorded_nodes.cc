#include "testing/imports/recorded_nodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontends/onnx/op_sets.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/delimited_message_util.h"
#include "testing/imports/import_samples.h"
#include "testing/imports/node_results.h"
#include "testing/imports/node_values.h"
#include "testing/imports/node_variations.h"
#include "testing/sampling/random.h"

namespace tessera::testing {
namespace {

constexpr char kGiven[] = "given ", kExpected[] = "expected ";
constexpr uint64_t kSeed = 12;

std::string NameOf(const onnx::ModelProto& model, size_t number) {
  const onnx::NodeProto& node = model.graph().node(0);
  return absl::StrCat(onnx_import::DomainName(node.domain()), ".", node.op_type(), "-",
                      model.opset_import(0).version(), " ", number);
}

NodeTest Opened(const onnx::ModelProto& stored, size_t number) {
  NodeTest test;
  test.model = stored;
  test.model.mutable_graph()->clear_initializer();
  test.name = NameOf(stored, number);
  std::map<std::string, onnx::TensorProto> given, expected;
  for (const onnx::TensorProto& tensor : stored.graph().initializer()) {
    absl::string_view name = tensor.name();
    if (absl::ConsumePrefix(&name, kGiven)) {
      given[std::string(name)] = tensor;
    } else if (absl::ConsumePrefix(&name, kExpected)) {
      expected[std::string(name)] = tensor;
    } else {
      *test.model.mutable_graph()->add_initializer() = tensor;
    }
  }
  for (const onnx::ValueInfoProto& input : stored.graph().input()) {
    const auto found = given.find(input.name());
    test.inputs.push_back(found == given.end() ? std::nullopt : std::optional(found->second));
  }
  for (const onnx::ValueInfoProto& output : stored.graph().output()) {
    const auto found = expected.find(output.name());
    if (found != expected.end()) test.outputs.push_back(found->second);
  }
  return test;
}

onnx::ModelProto Closed(const NodeTest& test) {
  onnx::ModelProto model = test.model;
  onnx::GraphProto& graph = *model.mutable_graph();
  const auto add = [&](const char* kind, const std::string& name, const onnx::TensorProto& tensor) {
    onnx::TensorProto& added = *graph.add_initializer();
    added = tensor;
    added.set_name(absl::StrCat(kind, name));
  };
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (test.inputs[i].has_value())
      add(kGiven, graph.input(static_cast<int>(i)).name(), *test.inputs[i]);
  }
  for (size_t i = 0; i < test.outputs.size(); ++i)
    add(kExpected, graph.output(static_cast<int>(i)).name(), test.outputs[i]);
  return model;
}

// Small values, where a test has none.
void FillInputs(NodeTest& test, Random& random) {
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (test.inputs[i].has_value()) continue;
    const auto& type = test.model.graph().input(static_cast<int>(i)).type().tensor_type();
    onnx::TensorProto tensor;
    tensor.set_data_type(type.elem_type());
    int64_t count = 1;
    for (const auto& dim : type.shape().dim()) {
      tensor.add_dims(dim.dim_value());
      count *= dim.dim_value();
    }
    for (int64_t k = 0; k < count; ++k) {
      const int64_t whole = random.Below(IsIndex(type.elem_type()) ? 3 : 12);
      SetValue(tensor, whole, 2 * random.Real());
    }
    test.inputs[i] = std::move(tensor);
  }
}

constexpr size_t kLarge = 700;  // bytes, without results

size_t BytesOf(const NodeTest& test) {
  size_t bytes = 0;
  for (const std::optional<onnx::TensorProto>& input : test.inputs)
    bytes += input.has_value() ? input->ByteSizeLong() : 0;
  return bytes;
}

}  // namespace

absl::StatusOr<std::vector<NodeTest>> ParseRecordedNodes(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  std::vector<NodeTest> tests;
  for (;;) {
    onnx::ModelProto model;
    bool end = false;
    if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&model, &stream, &end)) {
      if (end) return tests;
      return absl::InvalidArgumentError(absl::StrCat("no model behind ", tests.size(), " nodes"));
    }
    if (model.graph().node_size() != 1 || model.opset_import_size() == 0)
      return absl::InvalidArgumentError(absl::StrCat("model ", tests.size(), " is not one node"));
    tests.push_back(Opened(model, tests.size()));
  }
}

std::string RecordedNodesText(const std::vector<NodeTest>& tests) {
  std::ostringstream text;
  for (const NodeTest& test : tests)
    google::protobuf::util::SerializeDelimitedToOstream(Closed(test), &text);
  return text.str();
}

std::vector<NodeTest> NodesToRecord(const ir::Dialect& dialect, const ImportInputs& inputs) {
  const auto all = [](std::string_view) { return true; };
  std::vector<NodeTest> recorded;
  for (const auto& [key, tests] : inputs.tests) {
    const std::set<std::string> operators = ImportedOperators(dialect, all);
    if (operators.count(absl::StrCat(key.first, ".", key.second)) == 0) continue;
    const Words words = WordsOf(inputs.schemas.Of(key.first, key.second), tests);
    for (const Schema& schema : inputs.schemas.Of(key.first, key.second)) {
      if (schema.deprecated) continue;
      NodeVariations variations(schema, tests, words, kSeed);
      Random random(kSeed, absl::StrCat(schema.name, schema.version));
      std::set<std::string> seen;
      std::vector<NodeTest> large;
      const size_t most = std::min<size_t>(16, 4 + 2 * schema.attributes.size());
      for (int i = 0; i < variations.count() && seen.size() < most; ++i) {
        Variation variation = variations.Next();
        NodeTest test{"", std::move(variation.model), std::move(variation.inputs), {}};
        test.name = NameOf(test.model, recorded.size());
        FillInputs(test, random);
        const NodeResults results = ResultsOf(test);
        if (!results.problem.empty()) continue;
        const std::string graph = ImportedText(test.model);
        if (graph.size() > 4000 || !seen.insert(graph).second) continue;
        (test.model.ByteSizeLong() + BytesOf(test) > kLarge ? large : recorded)
            .push_back(std::move(test));
      }
      // Of what has no small ones.
      constexpr size_t kSome = 3;
      for (size_t i = 0; i < large.size() && seen.size() - large.size() + i < kSome; ++i)
        recorded.push_back(std::move(large[i]));
    }
  }
  return recorded;
}

}  // namespace tessera::testing

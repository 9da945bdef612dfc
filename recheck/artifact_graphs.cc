// Operators of an artifact that run other graphs of it: loops and branches.
#include "absl/strings/str_cat.h"
#include "recheck/artifact_reader.h"

namespace tessera::recheck {
namespace {

constexpr int kMaxDepth = 64;                // of graphs within each other
constexpr int64_t kMostOperators = 1 << 20;  // that are read

TensorPtr Like(const Tensor& tensor) {
  auto like = std::make_shared<Tensor>();
  like->dtype = tensor.dtype;
  like->dims = tensor.dims;
  return like;
}

}  // namespace

std::optional<std::vector<TensorPtr>> ArtifactReader::RunGraph(const NodeContext& node,
                                                               size_t graph,
                                                               const std::vector<TensorPtr>& inputs,
                                                               const Frame& frame,
                                                               const char* what) {
  if (graph >= artifact_.graphs.size() || artifact_.graphs[graph].inputs.size() != inputs.size()) {
    session_.Fail(absl::StrCat(node.name, ": its ", what, " does not take what it has"));
    return std::nullopt;
  }
  if (frame.depth >= kMaxDepth || read_ >= kMostOperators) {
    Leave(node.name, "graphs within each other");
    return std::nullopt;
  }
  const Artifact::Graph& own = artifact_.graphs[graph];
  Frame inner{own.tensors, std::vector<TensorPtr>(own.tensors.size()),
              absl::StrCat(node.name, ", ", what, ", "), frame.depth + 1};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto at = static_cast<size_t>(own.inputs[i]);
    if (at < inner.values.size()) inner.values[at] = inputs[i];
  }
  Operators(own.operators, inner);
  std::vector<TensorPtr> outputs;
  for (const int32_t output : own.outputs) {
    outputs.push_back(ValueOf(output, inner));
    if (outputs.back() != nullptr) continue;
    Leave(node.name, absl::StrCat("what its ", what, " yields is not derived"));
    return std::nullopt;
  }
  return outputs;
}

void ArtifactReader::Loop(const NodeContext& node, const Artifact::Operator& own, Frame& frame) {
  std::vector<TensorPtr> states;
  for (size_t i = 0; i < own.inputs.size(); ++i) {
    const TensorPtr first = own.inputs[i] < 0 ? nullptr : ValueOf(own.inputs[i], frame);
    if (first == nullptr) return Leave(node.name, "it reads what is not derived");
    // What the body hands on as it is stays what it was before.
    const bool kept =
        own.graphs[1] < artifact_.graphs.size() &&
        artifact_.graphs[own.graphs[1]].inputs.size() > i &&
        artifact_.graphs[own.graphs[1]].outputs.size() > i &&
        artifact_.graphs[own.graphs[1]].inputs[i] == artifact_.graphs[own.graphs[1]].outputs[i];
    states.push_back(kept ? first : Like(*first));
  }
  const auto condition = RunGraph(node, own.graphs[0], states, frame, "condition");
  const auto next = RunGraph(node, own.graphs[1], states, frame, "body");
  if (!condition || !next) return;
  if (next->size() != states.size() || own.outputs.size() != states.size())
    return session_.Fail(absl::StrCat(node.name, ": its body yields another number of values"));
  for (size_t i = 0; i < states.size(); ++i) {
    const Tensor &before = *states[i], &after = *(*next)[i];
    if (before.dtype != after.dtype || before.dims.size() != after.dims.size())
      return session_.Fail(
          absl::StrCat(node.name, ": value ", i, " becomes another type in its body"));
    for (size_t d = 0; d < before.dims.size(); ++d) {
      const Dim equal = terms_.Make(Operator::kEq, before.dims[d], after.dims[d]);
      if (before.dims[d] == after.dims[d] || terms_.Number(equal) == 1) continue;
      session_.Require({node.name, node.op, "state", equal, {}, Requirement::kDue});
    }
  }
  Keep(node, own, states, frame);
}

void ArtifactReader::Branch(const NodeContext& node, const Artifact::Operator& own, Frame& frame) {
  std::vector<TensorPtr> operands;
  for (const int32_t input : own.inputs) {
    operands.push_back(input < 0 ? nullptr : ValueOf(input, frame));
    if (operands.back() == nullptr) return Leave(node.name, "it reads what is not derived");
  }
  if (operands.empty()) return session_.Fail(absl::StrCat(node.name, " has no condition"));
  const TensorPtr condition = operands[0];
  operands.erase(operands.begin());
  const auto yes = RunGraph(node, own.graphs[0], operands, frame, "branch where it holds");
  const auto no = RunGraph(node, own.graphs[1], operands, frame, "branch where it does not");
  if (!yes || !no) return;
  if (yes->size() != own.outputs.size() || no->size() != own.outputs.size())
    return session_.Fail(absl::StrCat(node.name, ": its branches yield another number of values"));
  const bool known = condition->has_elements && condition->elements.size() == 1;
  std::vector<TensorPtr> results;
  for (size_t i = 0; i < yes->size(); ++i) {
    const Tensor &a = *(*yes)[i], &b = *(*no)[i];
    if (a.dtype != b.dtype || a.dims.size() != b.dims.size())
      return session_.Fail(absl::StrCat(node.name, ": result ", i, " has two types"));
    auto result = std::make_shared<Tensor>(*Like(a));
    for (size_t d = 0; d < a.dims.size(); ++d) {
      const Dim equal = terms_.Make(Operator::kEq, a.dims[d], b.dims[d]);
      if (a.dims[d] == b.dims[d] || terms_.Number(equal) == 1) continue;
      if (session_.SameWhereAdmitted(a.dims[d], b.dims[d])) {
        session_.Require({node.name, node.op, "branches", equal, {}, Requirement::kDue});
      } else if (known) {
        result->dims[d] = terms_.Make(Operator::kIte, condition->elements[0], a.dims[d], b.dims[d]);
      } else {
        return Leave(node.name, "its branches yield different sizes, and data says which");
      }
    }
    results.push_back(std::move(result));
  }
  Keep(node, own, results, frame);
}

}  // namespace tessera::recheck

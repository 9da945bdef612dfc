// Loops that stay loops: those of which sizes or data say how often they run, and those that run
// too often to be unrolled. Their subgraph is read once, as one iteration, between the two ends.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

constexpr char kBegin[] = "LoopBegin", kEntry[] = "LoopEntry", kEnd[] = "LoopEnd";

Tensor Like(const Tensor& tensor) {
  Tensor like;
  like.dtype = tensor.dtype;
  like.dims = tensor.dims;
  return like;
}

}  // namespace

bool ModelReader::IsKept(const NodeContext& context) const {
  return session_.Lists(context.name, kBegin);
}

void ModelReader::RequireEqual(const NodeContext& context, const std::string& op,
                               const std::string& id, Dim a, Dim b) {
  Terms& terms = session_.terms();
  if (terms.Number(a) && terms.Number(b)) {
    if (terms.Number(a) != terms.Number(b))
      session_.Fail(absl::StrCat("`", id, "` of `", op, "` at `", context.name,
                                 "`: ", terms.Text(a), " is not ", terms.Text(b)));
    return session_.Met(context.name, op, id);
  }
  session_.Require(
      {context.name, op, id, terms.Make(Operator::kEq, a, b), {}, Requirement::kImplied});
}

ModelReader::Results ModelReader::LoopOp(const NodeContext& context, const std::string& op,
                                         Tensors operands, const std::vector<Tensor>& computed) {
  const auto wrong = [&](const std::string& what) {
    session_.Fail(absl::StrCat("`", context.name, "`: ", what));
    return std::nullopt;
  };
  const certificate::ListedOperation* const listed = session_.Next(context.name);
  if (listed == nullptr || listed->op != op)
    return wrong(absl::StrCat("a loop has `", op, "`, the certificate lists ",
                              listed == nullptr ? "nothing more" : listed->op));
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  if (const std::string other = session_.CompareOperands(*listed, operands); !other.empty())
    return wrong(other);
  if (listed->results.size() != computed.size())
    return wrong(absl::StrCat("`", op, "` has ", computed.size(), " results"));
  Tensors results;
  Terms& terms = session_.terms();
  for (size_t i = 0; i < computed.size(); ++i) {
    const auto result = session_.Listed(listed->results[i]);
    if (result->dtype != computed[i].dtype || result->dims.size() != computed[i].dims.size() ||
        result->has_elements)
      return wrong(absl::StrCat("result ", i, " of `", op, "` is listed with another type"));
    for (size_t d = 0; d < result->dims.size(); ++d) {
      const Dim dim = result->dims[d];
      if (dim != computed[i].dims[d])
        RequireEqual(context, op, "equal.normal", computed[i].dims[d], dim);
      session_.Require({context.name,
                        op,
                        "size.result",
                        terms.Make(Operator::kGe, computed[i].dims[d], terms.Integer(0)),
                        {},
                        terms.Number(dim) ? Requirement::kAllowed : Requirement::kImplied});
    }
    results.push_back(result);
  }
  return results;
}

ModelReader::Results ModelReader::EndLoop(const NodeContext& context, const Tensors& here,
                                          const TensorPtr& again, const Tensors& step,
                                          std::optional<Dim> length) {
  const size_t states = here.size() - 1;
  Tensors operands = {here[0], again};
  operands.insert(operands.end(), here.begin() + 1, here.end());
  operands.insert(operands.end(), step.begin(), step.end());
  std::vector<Tensor> computed;
  for (size_t i = 0; i < step.size(); ++i) {
    computed.push_back(Like(i < states ? *here[1 + i] : *step[i]));
    if (i >= states) {
      if (!length) {
        Leave(context.name, "what a loop collects that runs as long as data says");
        return std::nullopt;
      }
      computed.back().dims.insert(computed.back().dims.begin(), *length);
      continue;
    }
    const Tensor &state = *here[1 + i], &next = *step[i];
    if (state.dtype != next.dtype || state.dims.size() != next.dims.size()) {
      session_.Fail(absl::StrCat("`", context.name, "`: state ", i, " becomes another type"));
      return std::nullopt;
    }
    for (size_t d = 0; d < state.dims.size(); ++d)
      RequireEqual(context, kEnd, "state", state.dims[d], next.dims[d]);
  }
  return LoopOp(context, kEnd, std::move(operands), computed);
}

ModelReader::Results ModelReader::KeptLoop(const NodeContext& context, Scope& scope,
                                           const Surroundings& around) {
  const onnx::GraphProto& body = context.attributes.at("body")->g();
  const auto given = [&](size_t i) {
    return i < context.inputs.size() ? context.inputs[i] : nullptr;
  };
  Terms& terms = session_.terms();
  TensorPtr trips = given(0);
  std::optional<Dim> length;
  if (trips == nullptr) {
    trips = Number("i64", INT64_MAX);
  } else if (trips->has_elements && trips->elements.size() == 1) {
    length = terms.Make(Operator::kMax, trips->elements[0], terms.Integer(0));
    trips = Number("i64", 0);  // a constant, of that
  }
  const TensorPtr first = given(1) == nullptr ? Number("bool", 1) : given(1);
  const Tensors initial(
      context.inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(context.inputs)),
      context.inputs.end());
  const certificate::ListedOperation* const begin = session_.Peek(context.name);
  // Without a condition it runs as often as it says, which is shown below.
  const bool plain = begin == nullptr || begin->operands.size() < 2 || begin->operands[1].empty();
  Tensors operands = {trips, plain ? nullptr : first};
  operands.insert(operands.end(), initial.begin(), initial.end());
  Tensor position;
  position.dtype = trips->dtype;
  std::vector<Tensor> computed = {position};
  for (const TensorPtr& state : initial) {
    if (state == nullptr) {
      Leave(context.name, "a state without a value");
      return std::nullopt;
    }
    computed.push_back(Like(*state));
  }
  const Results here = LoopOp(context, kBegin, std::move(operands), computed);
  if (!here) return std::nullopt;
  const Dim one = terms.Integer(1);
  if (plain && length && begin != nullptr &&
      session_.SameWhereAdmitted(*length, terms.Make(Operator::kMax, *length, one))) {
    // The first iteration and the last one. Of a loop that may have none nothing is asked.
    const auto counter = session_.Listed(begin->results[0]);
    counter->extremes = {terms.Integer(0), terms.Make(Operator::kSubtract, *length, one)};
    counter->loose = true;
  }
  Tensors arguments = {(*here)[0], Number("bool", 1)};
  arguments.insert(arguments.end(), here->begin() + 1, here->end());
  Results step = Subgraph(context, body, arguments, context.name + "/", scope, around);
  if (!step || step->size() < 1 + initial.size()) return std::nullopt;
  const TensorPtr again = step->front();
  step->erase(step->begin());
  if (plain && (Decided(context, first) != true || Decided(context, again) != true)) {
    session_.Fail(absl::StrCat("`", context.name,
                               "` is listed without a condition, of which nothing shows that it "
                               "holds"));
    return std::nullopt;
  }
  return EndLoop(context, *here, plain ? nullptr : again, *step, plain ? length : std::nullopt);
}

ModelReader::Results ModelReader::KeptScan(const NodeContext& context, const ScanAxes& axes,
                                           const std::string& prefix, Scope& scope,
                                           const Surroundings& around) {
  const onnx::GraphProto& body = context.attributes.at("body")->g();
  const size_t states = context.inputs.size() - axes.input.size();
  Tensors scanned;
  for (size_t k = 0; k < axes.input.size(); ++k) {
    TensorPtr x = context.inputs[states + k];
    if (axes.input[k] != 0 || axes.backwards[k] != 0)
      x = Build(context, "ScanInput", {x},
                {{"axis", axes.input[k]}, {"backwards", axes.backwards[k] != 0}});
    if (x == nullptr || x->dims.empty()) return std::nullopt;
    scanned.push_back(std::move(x));
  }
  const Dim length = scanned[0]->dims[0];
  Tensor position;
  position.dtype = "i64";
  std::vector<Tensor> computed = {position};
  Tensors operands = {Number("i64", 0), nullptr};  // a constant, of the length
  for (size_t i = 0; i < states; ++i) {
    operands.push_back(context.inputs[i]);
    computed.push_back(Like(*context.inputs[i]));
  }
  const Results here = LoopOp(context, kBegin, std::move(operands), computed);
  if (!here) return std::nullopt;
  Tensors arguments(here->begin() + 1, here->end());
  for (const TensorPtr& x : scanned) {
    RequireEqual(context, kEntry, "length", x->dims[0], length);
    Tensor entry = Like(*x);
    entry.dims.erase(entry.dims.begin());
    const Results read = LoopOp(context, kEntry, {(*here)[0], x}, {entry});
    if (!read) return std::nullopt;
    arguments.push_back(read->front());
  }
  const Results step = Subgraph(context, body, arguments, prefix, scope, around);
  if (!step || step->size() != states + axes.output.size()) return std::nullopt;
  Results results = EndLoop(context, *here, nullptr, *step, length);
  for (size_t k = 0; results && k < axes.output.size(); ++k) {
    TensorPtr& result = (*results)[states + k];
    if (axes.output[k] == 0 && axes.reversed[k] == 0) continue;
    const auto rank = static_cast<int64_t>(result->dims.size());
    result = Build(context, "ScanOutput", {result},
                   {{"axis", axes.output[k] < 0 ? axes.output[k] + rank : axes.output[k]},
                    {"backwards", axes.reversed[k] != 0}});
    if (result == nullptr) return std::nullopt;
  }
  return results;
}

}  // namespace tessera::recheck

// Loops that stay loops: those of which sizes or data say how often they run, and those that run
// too often to be unrolled. Their subgraph is read once, as one iteration, between the two ends.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/counted_loop.h"
#include "recheck/loop_operations.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

// Whether the body makes its condition of its number or of states.
bool Counts(const onnx::GraphProto& body) {
  if (body.output_size() == 0) return false;
  std::set<std::string> names = {body.output(0).name()};
  for (int i = body.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto& node = body.node(i);
    if (std::any_of(node.output().begin(), node.output().end(),
                    [&](const std::string& output) { return names.contains(output); }))
      names.insert(node.input().begin(), node.input().end());
  }
  for (int i = 0; i < body.input_size(); ++i) {
    if (i != 1 && names.contains(body.input(i).name())) return true;
  }
  return false;
}

}  // namespace

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
  session_.KeepLoop(context.name);
  LoopOperations loop(session_, context.name);
  const Results here = loop.Begin(trips, plain ? nullptr : first, initial);
  if (!here) return std::nullopt;
  const Dim one = terms.Integer(1);
  if (plain && length && begin != nullptr &&
      session_.SameWhereAdmitted(*length, terms.Make(Operator::kMax, *length, one))) {
    // The first iteration and the last one. Of a loop that may have none nothing is asked.
    const auto counter = session_.Listed(begin->results[0]);
    counter->extremes = {terms.Integer(0), terms.Make(Operator::kSubtract, *length, one)};
    counter->loose = true;
  }
  std::optional<CountedLoop> counting;
  if (plain && begin != nullptr && Counts(body)) {
    std::vector<std::shared_ptr<Tensor>> states;
    for (size_t i = 0; i < initial.size(); ++i)
      states.push_back(session_.Listed(begin->results[1 + i]));
    counting.emplace(session_, context.name)
        .Follow(*session_.Listed(begin->results[0]), states, initial);
  }
  Tensors arguments = Iteration(context, body, (*here)[0]);
  arguments.insert(arguments.end(), here->begin() + 1, here->end());
  Results step = Subgraph(context, body, arguments, context.name + "/", scope, around);
  if (!step || step->size() < 1 + initial.size()) return std::nullopt;
  const TensorPtr again = step->front();
  step->erase(step->begin());
  std::optional<Dim> count;
  if (counting && Decided(context, again) != true)
    count = counting->Count(again, {step->begin(), step->begin() + std::ssize(initial)});
  if (count) length = length ? terms.Make(Operator::kMin, *length, *count) : *count;
  Tensors conditions = {first};
  if (!count) conditions.push_back(again);
  for (const TensorPtr& condition : conditions) {
    if (!plain || Decided(context, condition) == true) continue;
    if (condition != nullptr && !condition->has_elements) {
      Leave(context.name, "how often a loop runs that its condition counts in another way");
      return std::nullopt;
    }
    session_.Fail(absl::StrCat("`", context.name,
                               "` is listed without a condition, of which nothing shows that it "
                               "holds"));
    return std::nullopt;
  }
  return loop.End(*here, plain ? nullptr : again, *step, plain ? length : std::nullopt);
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
  LoopOperations loop(session_, context.name);
  const Results here = loop.Begin(
      Number("i64", 0),  // a constant, of the length
      nullptr,
      {context.inputs.begin(), context.inputs.begin() + static_cast<std::ptrdiff_t>(states)});
  if (!here) return std::nullopt;
  Tensors arguments(here->begin() + 1, here->end());
  for (const TensorPtr& x : scanned) {
    const Results read = loop.Entry((*here)[0], x, length);
    if (!read) return std::nullopt;
    arguments.push_back(read->front());
  }
  const Results step = Subgraph(context, body, arguments, prefix, scope, around);
  if (!step || step->size() != states + axes.output.size()) return std::nullopt;
  Results results = loop.End(*here, nullptr, *step, length);
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

// The part of GraphImporter that keeps loops (ir/loops.h): those of which sizes or data say how
// often they run, and those that run too often to be unrolled. Their subgraph is imported once, as
// one iteration.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/counted_loop.h"
#include "frontends/onnx/graph_importer.h"
#include "ir/loops.h"
#include "solver/expr.h"

namespace tessera::onnx_import {

using onnx::GraphProto;

std::vector<ir::Value*> GraphImporter::BuildLoopOp(
    const Site& site, std::string_view op, std::vector<ir::Value*> operands,
    const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs,
    absl::Status& status) {
  builder_.Reset();
  rewriter_.SetLocation(ir::Location::Of(site.name));
  std::vector<ir::Value*> results = builder_.Create("ir", op, std::move(operands), attrs);
  if (!builder_.ok()) status = builder_.status();
  return results;
}

std::vector<ir::Value*> GraphImporter::BeginLoop(const Site& site, ir::Value* trips,
                                                 ir::Value* first,
                                                 const std::vector<Binding>& states,
                                                 absl::Status& status) {
  std::vector<ir::Value*> operands = {trips, first};
  for (const Binding& state : states) operands.push_back(state.value);
  return BuildLoopOp(site, "LoopBegin", std::move(operands),
                     {{"loop", ir::Attribute(ir::NextLoop(graph_))}}, status);
}

std::optional<ir::Expr> GraphImporter::CountLoop(const Site& site,
                                                 const std::vector<ir::Value*>& here,
                                                 const std::vector<Binding>& initial,
                                                 const std::vector<Binding>& step) {
  LoopStep counting;
  counting.position = here[0];
  counting.again = step[0].value;
  for (size_t i = 0; i < initial.size(); ++i) {
    counting.initial.push_back(initial[i].value);
    counting.states.push_back(here[1 + i]);
    counting.next.push_back(step[1 + i].value);
  }
  return CountPositions(graph_.context(), counting, site.name);
}

absl::StatusOr<GraphImporter::KeptLoop> GraphImporter::KeepLoop(const Site& site,
                                                                const GraphProto& body,
                                                                const std::vector<Binding>& inputs,
                                                                int collected, Scope& scope,
                                                                const Context& context) {
  const auto given = [&](size_t i) { return i < inputs.size() ? inputs[i].value : nullptr; };
  ir::Value* trips = given(0);
  std::optional<ir::Expr> length;
  if (trips == nullptr) {
    trips = Number(ir::DType::kI64, std::numeric_limits<int64_t>::max());
  } else if (const auto count = ScalarOf(site, "its trip count", *trips); count.ok()) {
    length = solver::Max(*count, 0);
    const auto known = rewriter_.CreateSymbolicConstant(ir::DType::kI64, {}, {*length});
    if (!known.ok()) return known.status();
    trips = *known;
  } else if ((trips = OnlyEntry(site, trips)) == nullptr) {
    return absl::UnimplementedError("its trip count cannot be read");
  }
  ir::Value* const first =
      given(1) == nullptr ? Number(ir::DType::kBool, 1) : OnlyEntry(site, given(1));
  if (first == nullptr) return absl::UnimplementedError("its condition cannot be read");
  const std::vector<Binding> initial(
      inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(inputs)), inputs.end());
  absl::Status status;
  std::vector<ir::Value*> here = BeginLoop(site, trips, nullptr, initial, status);
  if (!status.ok()) return status;
  std::vector<Binding> arguments;
  if (!BeginIteration(site, body, here[0], arguments))
    return absl::UnimplementedError("its body cannot be imported");
  for (size_t i = 1; i < here.size(); ++i)
    arguments.push_back({Binding::Kind::kValue, here[i], nullptr});
  auto step = ImportSubgraph(site, "body", body, arguments,
                             static_cast<int>(1 + initial.size()) + collected,
                             absl::StrCat(site.name, "/"), scope, context);
  if (!step) return absl::UnimplementedError("its body cannot be imported");
  for (const Binding& result : *step) {
    if (result.value == nullptr) return absl::UnimplementedError("its body cannot be imported");
  }
  const absl::StatusOr<bool> goes_on = Decide(site, *step->front().value);
  std::optional<ir::Expr> counted;
  if (!goes_on.ok() && (given(0) == nullptr || length))
    counted = CountLoop(site, here, initial, *step);
  // Behind what may have bounded the sizes that it is about.
  const absl::StatusOr<bool> begins = Decide(site, *first);
  // Whether it runs as often as it says; then it is a loop without condition.
  const bool plain = begins.ok() && *begins && (counted || (goes_on.ok() && *goes_on));
  if (!plain || counted) {
    // A begin that has more operands: with those that only the first had, these would be erased,
    // and other nodes name them.
    ir::Operation* const begun = here[0]->producer();
    rewriter_.SetInsertionPoint(begun);  // ahead of what the body has made of it
    if (plain) {
      const ir::Expr count = solver::Max(*counted, 1);
      length = length ? solver::Min(*length, count) : count;
      const auto known = rewriter_.CreateSymbolicConstant(ir::DType::kI64, {}, {*length});
      if (!known.ok()) return known.status();
      trips = *known;
    }
    const std::vector<ir::Value*> anew =
        BeginLoop(site, trips, plain ? nullptr : first, initial, status);
    rewriter_.SetInsertionPoint(nullptr);
    if (!status.ok()) return status;
    for (Binding& result : *step) {
      const auto at = std::find(here.begin(), here.end(), result.value);
      if (at != here.end()) result.value = anew[static_cast<size_t>(at - here.begin())];
    }
    status = rewriter_.Replace(begun, anew);
    if (!status.ok()) return status;
    here = anew;
  }
  ir::Value* const condition = plain ? nullptr : OnlyEntry(site, step->front().value);
  if (!plain && condition == nullptr)
    return absl::UnimplementedError("its condition cannot be read");
  if (collected > 0 && (condition != nullptr || !length)) {
    return absl::UnimplementedError(
        "what it collects is as long as it runs, which depends on data");
  }
  std::vector<ir::Value*> ends = {here[0], condition};
  ends.insert(ends.end(), here.begin() + 1, here.end());
  for (size_t i = 1; i < step->size(); ++i) ends.push_back((*step)[i].value);
  const std::vector<ir::Value*> last =
      BuildLoopOp(site, "LoopEnd", std::move(ends),
                  {{"states", ir::Attribute(static_cast<int64_t>(initial.size()))},
                   {"length", ir::Attribute(length.value_or(ir::Expr(0)))}},
                  status);
  if (!status.ok()) return status;
  KeptLoop kept{{}, condition != nullptr};
  for (ir::Value* value : last) kept.results.push_back({Binding::Kind::kValue, value, nullptr});
  return kept;
}

absl::StatusOr<std::vector<GraphImporter::Binding>> GraphImporter::KeepScan(
    const Site& site, const GraphProto& body, const ScanPlan& plan,
    const std::vector<Binding>& inputs, const std::string& prefix, Scope& scope,
    const Context& context) {
  const auto first_scanned = inputs.begin() + static_cast<std::ptrdiff_t>(plan.states);
  const std::vector<Binding> states(inputs.begin(), first_scanned);
  absl::Status status;
  // A loop goes along first axes, forwards.
  std::vector<ir::Value*> scanned;
  for (size_t k = 0; k < plan.scanned; ++k) {
    ir::Value* x = inputs[plan.states + k].value;
    const int64_t axis = plan.input_axes[k];
    const bool backwards = plan.input_backwards[k] != 0;
    if (axis != 0 || backwards) {
      x = Build(site, "ScanInput", {x},
                {{"axis", ir::Attribute(axis)}, {"backwards", ir::Attribute(backwards)}});
      if (x == nullptr) return absl::UnimplementedError("its inputs cannot be put in order");
    }
    scanned.push_back(x);
  }
  const ir::Expr length = scanned.front()->type().dims[0];
  const auto trips = rewriter_.CreateSymbolicConstant(ir::DType::kI64, {}, {length});
  if (!trips.ok()) return trips.status();
  const std::vector<ir::Value*> here = BeginLoop(site, *trips, nullptr, states, status);
  if (!status.ok()) return status;
  std::vector<Binding> arguments;
  for (size_t i = 1; i < here.size(); ++i)
    arguments.push_back({Binding::Kind::kValue, here[i], nullptr});
  for (ir::Value* x : scanned) {
    const std::vector<ir::Value*> entry =
        BuildLoopOp(site, "LoopEntry", {here[0], x}, {{"length", ir::Attribute(length)}}, status);
    if (!status.ok()) return status;
    arguments.push_back({Binding::Kind::kValue, entry[0], nullptr});
  }
  const auto step =
      ImportSubgraph(site, "body", body, arguments, static_cast<int>(plan.states + plan.collected),
                     prefix, scope, context);
  if (!step) return absl::UnimplementedError("its body cannot be imported");
  std::vector<ir::Value*> ends = {here[0], nullptr};
  ends.insert(ends.end(), here.begin() + 1, here.end());
  for (const Binding& result : *step) {
    if (result.value == nullptr) return absl::UnimplementedError("its body cannot be imported");
    ends.push_back(result.value);
  }
  const std::vector<ir::Value*> last =
      BuildLoopOp(site, "LoopEnd", std::move(ends),
                  {{"states", ir::Attribute(static_cast<int64_t>(plan.states))},
                   {"length", ir::Attribute(length)}},
                  status);
  if (!status.ok()) return status;
  std::vector<Binding> results;
  for (size_t i = 0; i < last.size(); ++i) {
    ir::Value* value = last[i];
    const size_t k = i - plan.states;
    if (i >= plan.states && (plan.output_axes[k] != 0 || plan.output_backwards[k] != 0)) {
      const int64_t axis = plan.output_axes[k], rank = value->type().rank();
      value = Build(site, "ScanOutput", {value},
                    {{"axis", ir::Attribute(axis < 0 ? axis + rank : axis)},
                     {"backwards", ir::Attribute(plan.output_backwards[k] != 0)}});
      if (value == nullptr) return absl::UnimplementedError("its outputs cannot be put in order");
    }
    results.push_back({Binding::Kind::kValue, value, nullptr});
  }
  return results;
}

}  // namespace tessera::onnx_import

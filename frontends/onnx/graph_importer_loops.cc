// The part of GraphImporter that unrolls: a loop's subgraph is imported once per iteration.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/quoting.h"
#include "solver/data_sizes.h"

namespace tessera::onnx_import {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;

std::vector<int64_t> IntsOf(const Attributes& attributes, const char* name, size_t count) {
  const auto it = attributes.find(name);
  if (it == attributes.end()) return std::vector<int64_t>(count, 0);
  return {it->second->ints().begin(), it->second->ints().end()};
}

// Text of the symbols that a number of iterations depends on, as declarations that would fix them.
std::string Fixing(const ir::Expr& count) {
  std::vector<std::string> dims;
  for (const std::string& symbol : solver::SymbolsOf(count))
    dims.push_back(absl::StrCat("`--dim ", symbol, "=N`"));
  std::string text;
  for (const std::string& dim : dims) absl::StrAppend(&text, text.empty() ? "" : " ", dim);
  return text;
}

// `problem`: one of its body's, if there is any.
absl::Status NoLoopEither(const absl::Status& why, const absl::Status& kept,
                          const std::string& problem) {
  return {why.code(), absl::StrCat(why.message(), "; it is no loop either: ", kept.message(),
                                   problem.empty() ? "" : ": ", problem)};
}

absl::Status SymbolicCount(const solver::Context& context, absl::string_view what,
                           const ir::Expr& count) {
  if (solver::HasDataSize(context, count)) {
    return absl::UnimplementedError(absl::StrCat(
        what, " is ", Quoted(count.ToString()),
        ", which data decide; to unroll it needs a number, and no declaration makes one of it"));
  }
  return absl::UnimplementedError(
      absl::StrCat(what, " is ", Quoted(count.ToString()),
                   ", which depends on the size of the input; to unroll it needs a number, such as "
                   "from ",
                   Fixing(count)));
}

}  // namespace

ir::Value* GraphImporter::Number(ir::DType dtype, int64_t value) {
  return rewriter_.CreateConstant(ir::Tensor::Of<int64_t>(dtype, {}, {value}));
}

absl::Status GraphImporter::TooLong() const {
  return absl::UnimplementedError(
      absl::StrCat("more than ", options_.max_unroll, " iterations, which `--max-unroll` allows"));
}

ir::Value* GraphImporter::Stack(const Site& site, const std::vector<Binding>& entries,
                                int64_t axis) {
  std::vector<ir::Value*> values;
  for (const Binding& entry : entries) values.push_back(entry.value);
  return Build(site, "ScanStack", std::move(values), {{"axis", ir::Attribute(axis)}});
}

// The text has scalars; runtimes take an axis of one entry for them.
ir::Value* GraphImporter::OnlyEntry(const Site& site, ir::Value* value) {
  const std::vector<ir::Expr>& dims = value->type().dims;
  if (dims.size() != 1 || dims[0] != 1) return value;
  return Build(site, "ScanEntry", {value},
               {{"axis", ir::Attribute(int64_t{0})}, {"position", ir::Attribute(int64_t{0})}});
}

// The text has scalars; bodies of tf2onnx declare an axis of one entry, which runtimes give them.
bool GraphImporter::BeginIteration(const Site& site, const GraphProto& body, ir::Value* number,
                                   std::vector<Binding>& arguments) {
  for (ir::Value* scalar : {number, Number(ir::DType::kBool, 1)}) {
    const auto at = static_cast<int>(arguments.size());
    const bool lined =
        at < body.input_size() && body.input(at).type().tensor_type().shape().dim_size() == 1;
    Binding argument = {Binding::Kind::kValue, scalar, nullptr};
    if (lined) argument.value = Stack(site, {argument}, 0);
    if (argument.value == nullptr) return false;
    arguments.push_back(argument);
  }
  return true;
}

void GraphImporter::UnrollLoop(const Site& site, const GraphProto& body, Scope& scope,
                               const Context& context) {
  std::vector<Binding> inputs;
  if (!ReadAny(site, scope, inputs)) return Poison(site, scope);
  const auto fail = [&](const absl::Status& status) {
    problems_.Add(site.Place(), status);
    Poison(site, scope);
  };
  const auto other = std::find_if(inputs.begin(), inputs.end(),
                                  [](const Binding& input) { return !WhatElse(input).empty(); });
  const size_t states = inputs.size() < 2 ? 0 : inputs.size() - 2;
  const int collected = site.node.output_size() - static_cast<int>(states);
  if (inputs.size() < 2 && site.node.output_size() > 0 && body.input_size() > 2)
    return fail(absl::InvalidArgumentError("lacks the initial values of its states"));
  if (collected < 0) {
    return fail(absl::InvalidArgumentError(
        absl::StrCat("has ", site.node.output_size(), " outputs for ", states, " states")));
  }
  // What an attempt has built and proved that came to nothing the model does not ask for.
  const ir::Rewriter::Mark ahead = rewriter_.Here();
  // Where sizes or data say how often it runs, or that is too often, it stays a loop, if it can.
  const auto keep = [&](const absl::Status& why) {
    rewriter_.TakeBackSince(ahead);
    if (other != inputs.end()) {
      return fail(NoLoopEither(
          why, absl::UnimplementedError(absl::StrCat("a state is ", WhatElse(*other))), ""));
    }
    const Problems before = problems_;
    const auto kept = KeepLoop(site, body, inputs, collected, scope, context);
    if (kept.ok()) return BindOutputs(site, kept->results, scope);
    const std::string problem = problems_.FirstAfter(before);
    problems_ = before;
    fail(NoLoopEither(why, kept.status(), problem));
  };
  std::optional<int64_t> count;
  if (!inputs.empty() && inputs[0].value != nullptr) {
    const absl::StatusOr<ir::Expr> trips = ScalarOf(site, "its trip count", *inputs[0].value);
    if (!trips.ok()) return keep(trips.status());
    if (!trips->IsConstant())
      return keep(SymbolicCount(rewriter_.graph().context(), "its trip count", *trips));
    count = trips->Constant();
  }
  bool goes_on = true;
  if (inputs.size() > 1 && inputs[1].value != nullptr) {
    const absl::StatusOr<bool> first = Decide(site, *inputs[1].value);
    if (!first.ok()) return keep(first.status());
    goes_on = *first;
  }
  std::vector<Binding> state(inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(inputs)),
                             inputs.end());
  std::vector<std::vector<Binding>> entries(static_cast<size_t>(collected));
  if (goes_on && count && *count > options_.max_unroll) {
    if (other != inputs.end()) return keep(TooLong());
    const Problems before = problems_;
    const auto kept = KeepLoop(site, body, inputs, collected, scope, context);
    if (kept.ok() && !kept->conditional) return BindOutputs(site, kept->results, scope);
    problems_ = before;  // its condition may end it before
    rewriter_.TakeBackSince(ahead);
  }
  for (int64_t i = 0; goes_on && (!count || i < *count); ++i) {
    if (i >= options_.max_unroll) return keep(TooLong());
    rewriter_.SetLocation(ir::Location::Of(site.name));
    std::vector<Binding> arguments;
    if (!BeginIteration(site, body, Number(ir::DType::kI64, i), arguments))
      return Poison(site, scope);
    arguments.insert(arguments.end(), state.begin(), state.end());
    std::optional<std::vector<Binding>> results =
        ImportSubgraph(site, "body", body, arguments, 1 + site.node.output_size(),
                       absl::StrCat(site.name, "/", i, "/"), scope, context);
    if (!results) return Poison(site, scope);
    // States may be sequences, what is collected not.
    for (size_t k = 0; k < results->size(); ++k) {
      const bool state = k >= 1 && k <= states;
      const Binding& result = (*results)[k];
      if (!state && !AreTensors(site, "its body's output", {result})) return Poison(site, scope);
      if (result.value == nullptr && !(state && !WhatElse(result).empty()))
        return Poison(site, scope);
    }
    const absl::StatusOr<bool> again = Decide(site, *results->front().value);
    if (!again.ok()) return keep(again.status());
    goes_on = *again;
    state.assign(results->begin() + 1, results->begin() + 1 + static_cast<std::ptrdiff_t>(states));
    for (size_t k = 0; k < entries.size(); ++k) entries[k].push_back((*results)[1 + states + k]);
  }
  for (size_t k = 0; k < entries.size(); ++k) {
    const int output = static_cast<int>(1 + states + k);
    ir::Value* all = entries[k].empty() ? Nothing(site, body, output) : Stack(site, entries[k], 0);
    if (all == nullptr) return Poison(site, scope);
    state.push_back({Binding::Kind::kValue, all, nullptr});
  }
  BindOutputs(site, state, scope);
}

// What a loop without iterations collects: the body's declaration has to say its shape.
ir::Value* GraphImporter::Nothing(const Site& site, const GraphProto& body, int output) {
  std::vector<int64_t> shape = {0};
  absl::StatusOr<ir::DType> dtype = absl::InvalidArgumentError("");
  bool known = output < body.output_size();
  if (known) {
    const auto& type = body.output(output).type().tensor_type();
    dtype = DTypeFromProto(type.elem_type());
    known = dtype.ok() && type.has_shape();
    for (const auto& dim : type.shape().dim()) {
      known = known && dim.has_dim_value();
      shape.push_back(dim.dim_value());
    }
  }
  absl::StatusOr<ir::Tensor> none = absl::InvalidArgumentError("");
  if (known) none = ir::Tensor::Allocate(*dtype, shape);
  if (none.ok()) return rewriter_.CreateConstant(*std::move(none));
  problems_.AddUnsupported(site.Place(),
                           "has no iterations, and its body does not say the shape of what it "
                           "would collect");
  return nullptr;
}

std::optional<std::vector<GraphImporter::Binding>> GraphImporter::RunScan(
    const Site& site, const GraphProto& body, const ScanPlan& plan,
    const std::vector<Binding>& inputs, const std::string& prefix, Scope& scope,
    const Context& context) {
  std::optional<int64_t> length;
  std::optional<absl::Status> why;  // it is not unrolled
  for (size_t k = 0; k < plan.scanned; ++k) {
    const ir::Expr& dim =
        inputs[plan.states + k].value->type().dims[static_cast<size_t>(plan.input_axes[k])];
    if (!dim.IsConstant()) {
      why = SymbolicCount(rewriter_.graph().context(), "its length", dim);
      break;
    }
    if (length && *length != *dim.Constant()) {
      problems_.AddInvalid(site.Place(), absl::StrCat("scans inputs of ", *length, " and of ",
                                                      *dim.Constant(), " entries"));
      return std::nullopt;
    }
    length = dim.Constant();
  }
  if (!why && *length > options_.max_unroll) why = TooLong();
  if (why) {
    const Problems before = problems_;
    auto kept = KeepScan(site, body, plan, inputs, prefix, scope, context);
    if (kept.ok()) return *std::move(kept);
    const std::string problem = problems_.FirstAfter(before);
    problems_ = before;
    problems_.Add(site.Place(), NoLoopEither(*why, kept.status(), problem));
    return std::nullopt;
  }
  std::vector<Binding> state(inputs.begin(),
                             inputs.begin() + static_cast<std::ptrdiff_t>(plan.states));
  std::vector<std::vector<Binding>> entries(plan.collected);
  for (int64_t i = 0; i < *length; ++i) {
    std::vector<Binding> arguments = state;
    for (size_t k = 0; k < plan.scanned; ++k) {
      const int64_t at = plan.input_backwards[k] != 0 ? *length - 1 - i : i;
      ir::Value* entry =
          Build(site, "ScanEntry", {inputs[plan.states + k].value},
                {{"axis", ir::Attribute(plan.input_axes[k])}, {"position", ir::Attribute(at)}});
      if (entry == nullptr) return std::nullopt;
      arguments.push_back({Binding::Kind::kValue, entry, nullptr});
    }
    std::optional<std::vector<Binding>> results = ImportSubgraph(
        site, "body", body, arguments, static_cast<int>(plan.states + plan.collected),
        absl::StrCat(prefix, i, "/"), scope, context);
    if (!results || !AreTensors(site, "its body's output", *results)) return std::nullopt;
    for (const Binding& result : *results) {
      if (result.value == nullptr) return std::nullopt;
    }
    state.assign(results->begin(), results->begin() + static_cast<std::ptrdiff_t>(plan.states));
    for (size_t k = 0; k < entries.size(); ++k) entries[k].push_back((*results)[plan.states + k]);
  }
  for (size_t k = 0; k < entries.size(); ++k) {
    if (plan.output_backwards[k] != 0) std::reverse(entries[k].begin(), entries[k].end());
    ir::Value* all = nullptr;
    if (entries[k].empty()) {
      all = Nothing(site, body, static_cast<int>(plan.states + k));
    } else {
      const int64_t rank = entries[k][0].value->type().rank() + 1;
      const int64_t axis = plan.output_axes[k];
      all = Stack(site, entries[k], axis < 0 ? axis + rank : axis);
    }
    if (all == nullptr) return std::nullopt;
    state.push_back({Binding::Kind::kValue, all, nullptr});
  }
  return state;
}

void GraphImporter::UnrollScan(const Site& site, const GraphProto& body,
                               const Attributes& attributes, Scope& scope, const Context& context) {
  std::vector<Binding> inputs;
  if (!ReadInputs(site, scope, inputs)) return Poison(site, scope);
  const auto fail = [&](const absl::Status& status) {
    problems_.Add(site.Place(), status);
    Poison(site, scope);
  };
  // Version 8 has a batch axis in front of everything, and lengths of its rows as first input.
  const bool batched = context.opsets->Version(site.domain).value_or(9) < 9;
  if (batched) {
    if (inputs.empty() || inputs[0].value != nullptr)
      return fail(absl::UnimplementedError("`sequence_lens` of version 8 is not supported"));
    inputs.erase(inputs.begin());
  }
  for (const Binding& input : inputs) {
    if (input.value == nullptr) return fail(absl::InvalidArgumentError("an input is absent"));
  }
  // Entries of the batch are taken from all.
  for (size_t k = 0; batched && k < inputs.size(); ++k) {
    if (inputs[k].value->type().rank() == 0)
      return fail(absl::InvalidArgumentError(absl::StrCat("input ", k + 1, " has no batch axis")));
  }
  ScanPlan plan;
  const auto count = attributes.find("num_scan_inputs");
  if (count == attributes.end() || TypeOf(*count->second) != AttributeProto::INT)
    return fail(absl::InvalidArgumentError("`num_scan_inputs`, an int, is missing"));
  const int64_t scanned = count->second->i();
  if (scanned < 1 || scanned > std::ssize(inputs)) {
    return fail(absl::InvalidArgumentError(
        absl::StrCat("`num_scan_inputs` is ", scanned, " of ", inputs.size(), " inputs")));
  }
  plan.scanned = static_cast<size_t>(scanned);
  plan.states = inputs.size() - plan.scanned;
  if (site.node.output_size() < static_cast<int>(plan.states))
    return fail(absl::InvalidArgumentError("has fewer outputs than states"));
  plan.collected = static_cast<size_t>(site.node.output_size()) - plan.states;
  plan.input_axes = IntsOf(attributes, "scan_input_axes", plan.scanned);
  plan.output_axes = IntsOf(attributes, "scan_output_axes", plan.collected);
  plan.input_backwards =
      IntsOf(attributes, batched ? "directions" : "scan_input_directions", plan.scanned);
  plan.output_backwards = IntsOf(attributes, "scan_output_directions", plan.collected);
  if (plan.input_axes.size() != plan.scanned || plan.input_backwards.size() != plan.scanned ||
      plan.output_axes.size() != plan.collected || plan.output_backwards.size() != plan.collected) {
    return fail(absl::InvalidArgumentError(
        "a list of axes or directions has another length than there are scan inputs or outputs"));
  }
  for (size_t k = 0; k < plan.scanned; ++k) {
    const int64_t rank = inputs[plan.states + k].value->type().rank() - (batched ? 1 : 0);
    int64_t& axis = plan.input_axes[k];
    if (axis < -rank || axis >= rank) {
      return fail(absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " of scan input ", k, ", which has ", rank)));
    }
    if (axis < 0) axis += rank;
  }
  std::optional<std::vector<Binding>> results;
  if (!batched) {
    results = RunScan(site, body, plan, inputs, site.name + "/", scope, context);
  } else {
    results = RunRows(site, body, plan, inputs, scope, context);
  }
  if (!results) return Poison(site, scope);
  BindOutputs(site, *results, scope);
}

std::optional<std::vector<GraphImporter::Binding>> GraphImporter::RunRows(
    const Site& site, const GraphProto& body, const ScanPlan& plan,
    const std::vector<Binding>& inputs, Scope& scope, const Context& context) {
  const ir::Expr& batch = inputs[0].value->type().dims[0];
  if (!batch.IsConstant()) {
    problems_.Add(site.Place(), SymbolicCount(rewriter_.graph().context(), "its batch", batch));
    return std::nullopt;
  }
  if (*batch.Constant() < 1) {
    problems_.AddUnsupported(site.Place(), "a batch without rows");
    return std::nullopt;
  }
  if (*batch.Constant() > options_.max_unroll) {
    problems_.Add(site.Place(), TooLong());
    return std::nullopt;
  }
  std::vector<std::vector<Binding>> rows(plan.states + plan.collected);
  for (int64_t n = 0; n < *batch.Constant(); ++n) {
    std::vector<Binding> row;
    for (const Binding& input : inputs) {
      ir::Value* entry =
          Build(site, "ScanEntry", {input.value},
                {{"axis", ir::Attribute(int64_t{0})}, {"position", ir::Attribute(n)}});
      if (entry == nullptr) return std::nullopt;
      row.push_back({Binding::Kind::kValue, entry, nullptr});
    }
    const std::optional<std::vector<Binding>> results =
        RunScan(site, body, plan, row, absl::StrCat(site.name, "/", n, "/"), scope, context);
    if (!results) return std::nullopt;
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back((*results)[k]);
  }
  std::vector<Binding> all;
  for (const std::vector<Binding>& entries : rows) {
    ir::Value* stacked = Stack(site, entries, 0);
    if (stacked == nullptr) return std::nullopt;
    all.push_back({Binding::Kind::kValue, stacked, nullptr});
  }
  return all;
}

}  // namespace tessera::onnx_import

// Functions are inlined, a branch is chosen, loops are unrolled, as the importer says it does.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recheck/constants.h"
#include "recheck/declarations.h"
#include "recheck/interpreter.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

using onnx::GraphProto;

constexpr char kCondition[] = "decided.condition";
constexpr int64_t kMaxIterations = 1 << 16;

std::string DomainOf(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::vector<int64_t> Ints(const NodeContext& context, const char* name, size_t count) {
  const auto it = context.attributes.find(name);
  if (it == context.attributes.end()) return std::vector<int64_t>(count, 0);
  std::vector<int64_t> ints(it->second->ints().begin(), it->second->ints().end());
  ints.resize(count, 0);
  return ints;
}

}  // namespace

TensorPtr ModelReader::Number(const std::string& dtype, int64_t value) {
  auto tensor = std::make_shared<Tensor>();
  tensor->dtype = dtype;
  tensor->has_elements = tensor->has_numbers = true;
  tensor->elements = {session_.terms().Integer(value)};
  tensor->numbers = {static_cast<double>(value)};
  return tensor;
}

TensorPtr ModelReader::Build(const NodeContext& context, const std::string& op,
                             const Tensors& operands,
                             const std::map<std::string, int64_t>& attributes,
                             const std::map<std::string, std::vector<Dim>>& lists) {
  Interpreter interpreter(session_, context);
  TensorPtr result = interpreter.Create(op, operands, attributes, lists);
  return interpreter.Finish() ? result : nullptr;
}

TensorPtr ModelReader::Stack(const NodeContext& context, const Tensors& entries, int64_t axis) {
  if (entries.empty()) {
    Leave(context.name, "what a loop without iterations collects");
    return nullptr;
  }
  return Build(context, "ScanStack", entries, {{"axis", axis}});
}

std::optional<bool> ModelReader::Decided(const NodeContext& context, const TensorPtr& condition) {
  if (condition == nullptr || !condition->has_elements || condition->elements.size() != 1)
    return std::nullopt;
  Terms& terms = session_.terms();
  const Dim c = condition->elements[0];
  if (const std::optional<int64_t> number = terms.Number(c)) return *number != 0;
  // The certificate says which, and it is due that this is so.
  const Dim zero = terms.Integer(0);
  for (const bool yes : {true, false}) {
    const Dim statement = terms.Make(yes ? Operator::kNe : Operator::kEq, c, zero);
    if (!session_.IsDecided(context.name, kCondition, statement)) continue;
    session_.Require({context.name, context.op, kCondition, statement, {}, Requirement::kDue});
    return yes;
  }
  return std::nullopt;
}

ModelReader::Results ModelReader::Subgraph(const NodeContext& context, const GraphProto& graph,
                                           const Tensors& inputs, const std::string& prefix,
                                           Scope& scope, const Surroundings& around) {
  if (graph.input_size() != static_cast<int>(inputs.size())) {
    session_.Fail(absl::StrCat("`", context.name, "`: its subgraph has ", graph.input_size(),
                               " inputs, expected ", inputs.size()));
    return std::nullopt;
  }
  Scope inner;
  inner.outer = &scope;
  for (const onnx::TensorProto& tensor : graph.initializer())
    inner.constants[tensor.name()] = &tensor;
  for (size_t i = 0; i < inputs.size(); ++i)
    inner.names[graph.input(static_cast<int>(i)).name()] = inputs[i];
  std::set<std::string> outputs;
  for (const auto& output : graph.output()) outputs.insert(output.name());
  Surroundings within = around;
  within.prefix = prefix;
  ++within.depth;
  Body(graph.node(), outputs, inner, within);
  Tensors results;
  for (const auto& output : graph.output()) {
    results.push_back(Find(inner, output.name()));
    if (results.back() != nullptr) continue;
    Leave(context.name, absl::StrCat("`", output.name(), "` of its subgraph is not derived"));
    return std::nullopt;
  }
  return results;
}

ModelReader::Results ModelReader::Branch(const NodeContext& context, Scope& scope,
                                         const Surroundings& around) {
  const GraphProto& yes = context.attributes.at("then_branch")->g();
  const GraphProto& no = context.attributes.at("else_branch")->g();
  const TensorPtr condition = context.inputs.empty() ? nullptr : context.inputs[0];
  if (const std::optional<bool> holds = Decided(context, condition))
    return Subgraph(context, *holds ? yes : no, {}, context.name + "/", scope, around);
  // Both, and of each output one.
  const Results a = Subgraph(context, yes, {}, context.name + "/then/", scope, around);
  const Results b = Subgraph(context, no, {}, context.name + "/else/", scope, around);
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  Tensors results;
  for (size_t i = 0; i < a->size(); ++i) {
    const TensorPtr &x = (*a)[i], &y = (*b)[i];
    bool sized = false;
    for (size_t d = 0; d < x->dims.size() && x->dims.size() == y->dims.size(); ++d)
      sized = sized || !session_.SameWhereAdmitted(x->dims[d], y->dims[d]);
    if (sized && condition->has_elements) {
      Terms& terms = session_.terms();
      std::vector<Dim> sizes;
      for (size_t d = 0; d < x->dims.size(); ++d)
        sizes.push_back(terms.Make(Operator::kIte, condition->elements[0], x->dims[d], y->dims[d]));
      results.push_back(
          Build(context, "SizedChoice", {condition, x, y}, {}, {{"sizes", std::move(sizes)}}));
    } else {
      results.push_back(Build(context, "Choice", {condition, x, y}, {}));
    }
    if (results.back() == nullptr) return std::nullopt;
  }
  return results;
}

ModelReader::Results ModelReader::Unroll(const NodeContext& context, Scope& scope,
                                         const Surroundings& around) {
  const GraphProto& body = context.attributes.at("body")->g();
  const size_t states = context.inputs.size() < 2 ? 0 : context.inputs.size() - 2;
  const auto undecided = [&](const char* what) {
    Leave(context.name, absl::StrCat("nothing in the certificate decides ", what));
    return std::nullopt;
  };
  if (IsKept(context)) return KeptLoop(context, scope, around);
  int64_t count = kMaxIterations;
  if (!context.inputs.empty() && context.inputs[0] != nullptr) {
    const Tensor& trips = *context.inputs[0];
    const std::optional<int64_t> number = trips.has_elements && trips.elements.size() == 1
                                              ? session_.terms().Number(trips.elements[0])
                                              : std::nullopt;
    if (!number) return undecided("how many iterations it has");
    count = std::min(count, *number);
  }
  bool goes_on = true;
  const auto decide = [&](const TensorPtr& condition) {
    const std::optional<bool> holds = Decided(context, condition);
    goes_on = holds.value_or(false);
    return holds.has_value();
  };
  if (context.inputs.size() > 1 && context.inputs[1] != nullptr && !decide(context.inputs[1]))
    return undecided("whether it begins");
  Tensors state(
      context.inputs.begin() + static_cast<std::ptrdiff_t>(context.inputs.size() - states),
      context.inputs.end());
  const size_t collected =
      static_cast<size_t>(std::max<int64_t>(context.outputs - static_cast<int64_t>(states), 0));
  std::vector<Tensors> entries(collected);
  for (int64_t i = 0; goes_on && i < count; ++i) {
    Tensors arguments = {Number("i64", i), Number("bool", 1)};
    arguments.insert(arguments.end(), state.begin(), state.end());
    const Results results =
        Subgraph(context, body, arguments, absl::StrCat(context.name, "/", i, "/"), scope, around);
    if (!results) return std::nullopt;
    if (results->size() != 1 + states + collected) return undecided("what it yields");
    if (!decide(results->front())) return undecided("whether it goes on");
    state.assign(results->begin() + 1, results->begin() + 1 + static_cast<std::ptrdiff_t>(states));
    for (size_t k = 0; k < collected; ++k) entries[k].push_back((*results)[1 + states + k]);
  }
  for (const Tensors& each : entries) {
    state.push_back(Stack(context, each, 0));
    if (state.back() == nullptr) return std::nullopt;
  }
  return state;
}

ModelReader::Results ModelReader::Scan(const NodeContext& context, Scope& scope,
                                       const Surroundings& around) {
  const GraphProto& body = context.attributes.at("body")->g();
  const auto scanned = static_cast<size_t>(context.attributes.at("num_scan_inputs")->i());
  const bool complete = std::none_of(context.inputs.begin(), context.inputs.end(),
                                     [](const TensorPtr& input) { return input == nullptr; });
  if (context.opset < 9 || scanned < 1 || scanned > context.inputs.size() || !complete) {
    Leave(context.name, "a Scan over a batch");
    return std::nullopt;
  }
  const size_t states = context.inputs.size() - scanned;
  const size_t collected =
      static_cast<size_t>(std::max<int64_t>(context.outputs - static_cast<int64_t>(states), 0));
  std::vector<int64_t> axes = Ints(context, "scan_input_axes", scanned);
  const std::vector<int64_t> backwards = Ints(context, "scan_input_directions", scanned);
  const std::vector<int64_t> output_axes = Ints(context, "scan_output_axes", collected);
  const std::vector<int64_t> reversed = Ints(context, "scan_output_directions", collected);
  std::optional<int64_t> length;
  for (size_t k = 0; k < scanned; ++k) {
    const std::vector<Dim>& dims = context.inputs[states + k]->dims;
    const auto rank = static_cast<int64_t>(dims.size());
    if (axes[k] < 0) axes[k] += rank;
    if (axes[k] >= 0 && axes[k] < rank)
      length = session_.terms().Number(dims[static_cast<size_t>(axes[k])]);
  }
  if (IsKept(context))
    return KeptScan(context, {axes, backwards, output_axes, reversed}, scope, around);
  if (!length || *length > kMaxIterations) {
    Leave(context.name, "a Scan of which the length is no number");
    return std::nullopt;
  }
  Tensors state(context.inputs.begin(),
                context.inputs.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<Tensors> entries(collected);
  for (int64_t i = 0; i < *length; ++i) {
    Tensors arguments = state;
    for (size_t k = 0; k < scanned; ++k) {
      const int64_t at = backwards[k] != 0 ? *length - 1 - i : i;
      arguments.push_back(Build(context, "ScanEntry", {context.inputs[states + k]},
                                {{"axis", axes[k]}, {"position", at}}));
      if (arguments.back() == nullptr) return std::nullopt;
    }
    const Results results =
        Subgraph(context, body, arguments, absl::StrCat(context.name, "/", i, "/"), scope, around);
    if (!results) return std::nullopt;
    if (results->size() != states + collected) {
      Leave(context.name, "a Scan whose body yields less than it has outputs");
      return std::nullopt;
    }
    state.assign(results->begin(), results->begin() + static_cast<std::ptrdiff_t>(states));
    for (size_t k = 0; k < collected; ++k) entries[k].push_back((*results)[states + k]);
  }
  for (size_t k = 0; k < collected; ++k) {
    if (reversed[k] != 0) std::reverse(entries[k].begin(), entries[k].end());
    const int64_t rank =
        entries[k].empty() ? 0 : static_cast<int64_t>(entries[k][0]->dims.size()) + 1;
    state.push_back(
        Stack(context, entries[k], output_axes[k] < 0 ? output_axes[k] + rank : output_axes[k]));
    if (state.back() == nullptr) return std::nullopt;
  }
  return state;
}

ModelReader::Results ModelReader::Function(const NodeContext& context,
                                           const onnx::FunctionProto& function, int depth) {
  Surroundings within;
  for (const auto& opset : function.opset_import())
    within.opsets[DomainOf(opset.domain())] = opset.version();
  within.attributes = &context.attributes;
  within.prefix = context.name + "/";
  within.depth = depth + 1;
  Scope inner;
  for (int i = 0; i < function.input_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (at < context.inputs.size() && context.inputs[at] != nullptr) {
      inner.names[function.input(i)] = context.inputs[at];
    } else {
      inner.absent.insert(function.input(i));
    }
  }
  Body(function.node(), {function.output().begin(), function.output().end()}, inner, within);
  Tensors results;
  for (const std::string& output : function.output()) results.push_back(Find(inner, output));
  return results;
}

}  // namespace tessera::recheck

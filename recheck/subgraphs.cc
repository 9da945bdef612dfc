// Functions are inlined, a branch is chosen, loops are unrolled, as the importer says it does.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recheck/constants.h"
#include "recheck/declarations.h"
#include "recheck/fraction.h"
#include "recheck/interpreter.h"
#include "recheck/loop_operations.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

using onnx::GraphProto;

constexpr char kCondition[] = "decided.condition";
constexpr int64_t kMaxIterations = 1 << 16;

std::string DomainOf(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

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
  const Tensors results = interpreter.Create(op, operands, attributes, lists);
  return interpreter.Finish() ? results[0] : nullptr;
}

ModelReader::Results ModelReader::BuildAll(const NodeContext& context, const std::string& op,
                                           const Tensors& operands,
                                           const std::map<std::string, int64_t>& attributes,
                                           const std::map<std::string, std::vector<Dim>>& lists) {
  Interpreter interpreter(session_, context);
  Tensors results = interpreter.Create(op, operands, attributes, lists);
  if (!interpreter.Finish()) return std::nullopt;
  return results;
}

TensorPtr ModelReader::Nothing(const NodeContext& context, size_t output) {
  const GraphProto& body = context.attributes.at("body")->g();
  onnx::TensorProto none;
  none.add_dims(0);
  bool known = output < static_cast<size_t>(body.output_size());
  if (known) {
    const auto& type = body.output(static_cast<int>(output)).type().tensor_type();
    none.set_data_type(type.elem_type());
    known = type.has_shape();
    for (const auto& dim : type.shape().dim()) {
      known = known && dim.has_dim_value();
      none.add_dims(dim.dim_value());
    }
  }
  const TensorPtr tensor = known ? ReadConstant(none, "", session_.terms()) : nullptr;
  if (tensor == nullptr) Leave(context.name, "what a loop without iterations collects");
  return tensor;
}

TensorPtr ModelReader::Stack(const NodeContext& context, const Tensors& entries, int64_t axis) {
  return Build(context, "ScanStack", entries, {{"axis", axis}});
}

ModelReader::Tensors ModelReader::Iteration(const NodeContext& context, const GraphProto& body,
                                            const TensorPtr& number) {
  Tensors given = {number, Number("bool", 1)};
  for (int i = 0; i < std::min(2, body.input_size()); ++i) {
    TensorPtr& scalar = given[static_cast<size_t>(i)];
    // Declared with an axis of one entry, it has that.
    if (body.input(i).type().tensor_type().shape().dim_size() == 1)
      scalar = Stack(context, {scalar}, 0);
  }
  return given;
}

std::optional<bool> ModelReader::Decided(const NodeContext& context, const TensorPtr& condition) {
  if (condition == nullptr) return std::nullopt;
  Terms& terms = session_.terms();
  std::vector<Dim> elements = condition->elements;
  // Through floats or narrow integers, which the compiler follows only where it is asked for them.
  std::vector<Dim> needs = condition->needs;
  for (const Fraction& v : condition->through) {
    if (condition->has_elements) break;
    if (const std::optional<Dim> element = Fractions(terms, needs).Size(v))
      elements.push_back(*element);
  }
  if (elements.size() != 1) return std::nullopt;
  const auto rest_on_needs = [&] {
    if (!condition->has_elements) session_.TakeExact(context.name, needs);
  };
  const Dim c = elements[0];
  if (const std::optional<int64_t> number = terms.Number(c)) {
    rest_on_needs();
    return *number != 0;
  }
  // The certificate says which, and it is due that this is so.
  const Dim zero = terms.Integer(0);
  for (const bool yes : {true, false}) {
    const Dim statement = terms.Make(yes ? Operator::kNe : Operator::kEq, c, zero);
    if (!session_.IsDecided(context.name, kCondition, statement)) continue;
    rest_on_needs();
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
  if (LoopOperations(session_, context.name).IsListed()) return KeptLoop(context, scope, around);
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
    Tensors arguments = Iteration(context, body, Number("i64", i));
    arguments.insert(arguments.end(), state.begin(), state.end());
    const Results results =
        Subgraph(context, body, arguments, absl::StrCat(context.name, "/", i, "/"), scope, around);
    if (!results) return std::nullopt;
    if (results->size() != 1 + states + collected) return undecided("what it yields");
    if (!decide(results->front())) return undecided("whether it goes on");
    state.assign(results->begin() + 1, results->begin() + 1 + static_cast<std::ptrdiff_t>(states));
    for (size_t k = 0; k < collected; ++k) entries[k].push_back((*results)[1 + states + k]);
  }
  for (size_t k = 0; k < collected; ++k) {
    state.push_back(entries[k].empty() ? Nothing(context, 1 + states + k)
                                       : Stack(context, entries[k], 0));
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

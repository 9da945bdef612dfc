// Recurrences as terms.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/definitions.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;

namespace {

// As the language has it: longer ones are loops.
constexpr int64_t kMostUnrolled = 256;

// Of several results the first one is meant.
Value FirstOf(Value value) {
  while (value.kind == Value::kList && value.results && !value.items.empty())
    value = Value(value.items[0]);
  return value;
}

}  // namespace

Value Interpreter::PieceOfScan(const std::string& name, std::vector<Value> arguments) {
  const codegen::Function* const function = Definitions().FindFunction(dialect_, name);
  return function == nullptr ? Unsupported("a recurrence without its functions")
                             : Expand(*function, std::move(arguments));
}

Value Interpreter::StackOfScan(std::vector<Value> states,
                               std::vector<std::vector<Value>> collected) {
  for (std::vector<Value>& entries : collected)
    states.push_back(PieceOfScan("scan_stack", {Value::List(std::move(entries))}));
  if (states.size() == 1) return states[0];
  Value results = Value::List(std::move(states));
  results.results = true;
  return results;
}

void Interpreter::StepOfScan(const Node& node, std::vector<Value>& states,
                             std::vector<std::vector<Value>>& collected) {
  for (size_t k = 0; k < states.size(); ++k) Bind(node.named[k].first, states[k]);
  const Value step = Evaluate(node.children[0]);
  const std::vector<Value> next =
      step.kind == Value::kList && step.results ? step.items : std::vector<Value>{step};
  if (!ok() || next.size() < states.size()) {
    Unsupported("a step without all states");
    return;
  }
  collected.resize(next.size() - states.size());
  for (size_t k = 0; k < next.size(); ++k)
    (k < states.size() ? states[k] : collected[k - states.size()].emplace_back()) =
        FirstOf(next[k]);
}

// Position by position, as far as that is how it is built: what is kept as a loop is not followed.
Value Interpreter::Recurrence(const Node& node) {
  const bool over_range = node.binders.size() == 1 && node.binders[0].to != nullptr;
  std::vector<Value> scanned, states;
  std::vector<std::vector<Value>> collected;
  for (const codegen::Binder& binder : node.binders)
    if (!over_range) scanned.push_back(Evaluate(binder.from));
  for (const auto& [name, start] : node.named) states.push_back(FirstOf(Evaluate(start)));
  if (over_range) {
    Loop(node.binders, 0, [&] { StepOfScan(node, states, collected); });
    return ok() ? StackOfScan(std::move(states), std::move(collected)) : Value();
  }
  const TensorPtr first = ok() ? AsTensor(scanned.front()) : nullptr;
  if (first == nullptr || first->dims.empty()) return Unsupported("a recurrence over no axis");
  const std::optional<int64_t> length = terms_.Number(first->dims[0]);
  if (!length || *length < 1 || *length > kMostUnrolled)
    return Unsupported("a recurrence that is kept as a loop");
  for (int64_t i = 0; ok() && i < *length; ++i) {
    auto at = std::make_shared<Tensor>();
    at->dtype = "i32";
    at->has_numbers = at->has_elements = true;
    at->numbers = {static_cast<double>(i)};
    at->elements = {terms_.Integer(i)};
    Scope here;
    for (size_t k = 0; k < scanned.size(); ++k)
      here[node.binders[k].name] = PieceOfScan("scan_entry", {scanned[k], Value::Of(at)});
    scopes_.push_back(std::move(here));
    StepOfScan(node, states, collected);
    scopes_.pop_back();
  }
  return ok() ? StackOfScan(std::move(states), std::move(collected)) : Value();
}

}  // namespace tessera::recheck

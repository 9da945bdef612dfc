// Loops over ranges, lists and boxes; folds; functions.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/program.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Binder;
using codegen::Node;

namespace {

constexpr int kMaxDepth = 64;  // of expansions of functions within each other
constexpr int64_t kMaxItems = 1 << 16;

}  // namespace

void Interpreter::Loop(const std::vector<Binder>& binders, size_t at,
                       const std::function<void()>& f) {
  if (!ok()) return;
  if (at == binders.size()) return f();
  const Binder& binder = binders[at];
  std::vector<Value> values;
  if (binder.pack) {
    // All positions in a box.
    values.push_back(Value::List({}));
    for (const Dim size : AsDims(Evaluate(binder.from))) {
      const int64_t count = AsHost(Value::Int(size));
      if (count > 0 && static_cast<int64_t>(values.size()) > kMaxItems / count) {
        Unsupported("a box of too many positions");
        return;
      }
      std::vector<Value> longer;
      for (const Value& value : values) {
        for (int64_t i = 0; ok() && i < count; ++i) {
          longer.push_back(value);
          longer.back().items.push_back(Value::Int(terms_.Integer(i)));
        }
      }
      values = std::move(longer);
    }
  } else if (binder.to != nullptr) {
    const int64_t from = AsHost(Evaluate(binder.from)), to = AsHost(Evaluate(binder.to));
    if (to - from > kMaxItems) {
      Unsupported("a range of too many numbers");
      return;
    }
    for (int64_t i = from; ok() && i < to; ++i) values.push_back(Value::Int(terms_.Integer(i)));
  } else {
    const Value list = Evaluate(binder.from);
    if (list.kind != Value::kList) {
      Unsupported("a loop over what is no list");
      return;
    }
    values = list.items;
  }
  for (Value& value : values) {
    // Of what is data no more is read.
    if (reading_ && data_) return;
    scopes_.emplace_back();
    Bind(binder.name, std::move(value));
    Loop(binders, at + 1, f);
    scopes_.pop_back();
  }
}

Value Interpreter::Comprehension(const std::vector<Binder>& binders, const NodePtr& body) {
  std::vector<Value> items;
  Loop(binders, 0, [&] { items.push_back(Evaluate(body)); });
  return Value::List(std::move(items));
}

Value Interpreter::Fold(const Node& node) {
  std::vector<Value> items;
  Loop(node.binders, 0, [&] { items.push_back(Evaluate(node.children[0])); });
  const std::string& op = node.text;
  if (op == "min" || op == "max") {
    if (items.empty()) return Unsupported("the extreme of nothing");
    Value result = items[0];
    for (size_t i = 1; i < items.size(); ++i)
      result = Apply(op == "min" ? Operator::kMin : Operator::kMax, result, items[i]);
    return result;
  }
  const bool whole = op == "product" || op == "forall" || op == "all";
  Value result = Value::Int(terms_.Integer(whole ? 1 : 0));
  for (const Value& item : items) {
    if (op == "sum" || op == "product") {
      result = Arithmetic(op == "sum" ? "+" : "*", result, item);
    } else {
      result = Apply(whole ? Operator::kAnd : Operator::kOr, result, item);
    }
  }
  return result;
}

// The body sees its parameters and nothing of the caller.
Value Interpreter::Expand(const codegen::Function& function, std::vector<Value> arguments) {
  if (function.parameters.size() != arguments.size() || ++depth_ > kMaxDepth)
    return Unsupported(absl::StrCat("the function `", function.name, "`"));
  Scope scope;
  for (size_t i = 0; i < arguments.size(); ++i)
    scope[function.parameters[i]] = std::move(arguments[i]);
  std::vector<Scope> outer = std::move(scopes_);
  scopes_.clear();
  scopes_.push_back(std::move(scope));
  Value result = Evaluate(function.body);
  scopes_ = std::move(outer);
  --depth_;
  return result;
}

Value Interpreter::Call(const Node& node) {
  if (const codegen::Op* op = Definitions().FindOp(dialect_, node.text)) return OpCall(node, *op);
  if (importing_) {
    if (std::optional<Value> value = ImportCall(node, nullptr)) return *value;
  }
  if (std::optional<Value> value = TermCall(node)) return *value;
  if (const codegen::Function* function = Definitions().FindFunction(dialect_, node.text)) {
    std::vector<Value> arguments;
    for (const NodePtr& child : node.children) arguments.push_back(Evaluate(child));
    return Expand(*function, std::move(arguments));
  }
  if (std::optional<Value> value = ListCall(node)) return *value;
  if (std::optional<Value> value = NumberCall(node)) return *value;
  return Unsupported(absl::StrCat("the function `", node.text, "`"));
}

}  // namespace tessera::recheck

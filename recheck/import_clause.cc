// The clauses that import nodes.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::AttributeDecl;
using codegen::ClauseItem;
using codegen::Form;
using codegen::FormEntry;
using codegen::Node;
using codegen::Operand;

bool Interpreter::Finish() {
  if (!wrong_.empty()) {
    session_.Fail(absl::StrCat("`", node_.name, "`: ", wrong_));
    session_.Skip(node_.name);
  }
  if (!unsupported_.empty()) session_.Leave(node_.name, unsupported_);
  return ok();
}

std::vector<TensorPtr> Interpreter::TermsOf(const NodePtr& term) {
  std::vector<TensorPtr> tensors;
  if (term->kind == Node::kList && term->text == "()") {
    for (const NodePtr& child : term->children) tensors.push_back(AsTensor(Evaluate(child)));
    return tensors;
  }
  const Value value = Evaluate(term);
  if (value.kind == Value::kList) {
    for (const Value& item : value.items) tensors.push_back(AsTensor(item));
  } else {
    tensors.push_back(AsTensor(value));
  }
  return tensors;
}

// The names of the signature's dims and ranks, as far as the operands have them.
void Interpreter::BindNames(const Op& op) {
  for (const Operand& operand : op.inputs) {
    const Value* value = Find(operand.name);
    if (value == nullptr) continue;
    const Value first =
        value->kind == Value::kList && !value->items.empty() ? value->items[0] : *value;
    const TensorPtr tensor = AsTensor(first);
    if (tensor == nullptr) continue;
    for (const codegen::TypeVariable& variable : op.types) {
      if (operand.classes.size() == 1 && operand.classes[0] == variable.name &&
          Find(variable.name) == nullptr)
        Bind(variable.name, Value::DType(tensor->dtype));
    }
    const auto rank = static_cast<int64_t>(tensor->dims.size());
    if (operand.form.kind == Form::kRank && Find(operand.form.rank_name) == nullptr)
      Bind(operand.form.rank_name, Value::Int(terms_.Integer(rank)));
    if (operand.form.kind != Form::kDims || operand.arity == Operand::kVariadic) continue;
    int64_t scalars = 0;
    for (const FormEntry& entry : operand.form.dims) scalars += entry.pack ? 0 : 1;
    if (rank < scalars) continue;
    size_t at = 0;
    for (const FormEntry& entry : operand.form.dims) {
      Value entry_value;
      if (entry.pack) {
        std::vector<Value> items;
        for (int64_t n = rank - scalars; n > 0; --n)
          items.push_back(Value::Int(tensor->dims[at++]));
        entry_value = Value::List(std::move(items));
      } else {
        entry_value = at < tensor->dims.size() ? Value::Int(tensor->dims[at]) : Value();
        ++at;
      }
      if (!entry.name.empty() && Find(entry.name) == nullptr)
        Bind(entry.name, std::move(entry_value));
    }
  }
}

std::vector<TensorPtr> Interpreter::Import(const Clause& clause) {
  if (!clause.clause->function.empty()) {
    Unsupported(absl::StrCat("an importer in C++, `", clause.clause->function, "`"));
    return {};
  }
  const Op& op = *clause.op;
  importing_ = true;
  building_.push_back(&op);
  Bind("opset", Value::Int(terms_.Integer(node_.opset)));
  std::vector<std::string> names = clause.clause->inputs;
  if (!clause.clause->has_inputs) {
    names.clear();
    for (const Operand& operand : op.inputs)
      names.push_back(operand.name + (operand.arity == Operand::kVariadic ? "..." : ""));
  }
  for (const Operand& operand : op.inputs)
    Bind(operand.name, operand.arity == Operand::kVariadic ? Value::List({}) : Value());
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];
    if (absl::EndsWith(name, "...")) {
      name.resize(name.size() - 3);
      std::vector<Value> rest;
      for (size_t k = i; k < node_.inputs.size(); ++k) rest.push_back(Value::Of(node_.inputs[k]));
      Bind(name, Value::List(std::move(rest)));
    } else {
      Bind(name, Value::Of(i < node_.inputs.size() ? node_.inputs[i] : nullptr));
    }
  }
  BindNames(op);
  Given attributes;
  for (const ClauseItem& item : clause.clause->items) {
    if (!ok()) return {};
    if (item.kind == ClauseItem::kLet) {
      Bind(item.name,
           item.binders.empty() ? Evaluate(item.value) : Comprehension(item.binders, item.value));
      continue;
    }
    if (item.kind == ClauseItem::kRequire) {
      Require(item.name.empty() ? "import" : item.name, Evaluate(item.condition));
      continue;
    }
    const auto operand = std::find_if(op.inputs.begin(), op.inputs.end(),
                                      [&](const Operand& o) { return o.name == item.name; });
    if (operand != op.inputs.end()) {
      Bind(item.name, Evaluate(item.value));
      continue;
    }
    for (const AttributeDecl& declaration : op.attributes) {
      if (declaration.name != item.name) continue;
      attributes[item.name] = AttributeValue(declaration, item.value);
      Bind(item.name, attributes[item.name]);
    }
  }
  if (!ok()) return {};
  if (clause.clause->term != nullptr) return TermsOf(clause.clause->term);
  std::vector<Value> operands;
  for (const Operand& operand : op.inputs) {
    const Value& value = *Find(operand.name);
    if (value.kind == Value::kList && !value.results) {
      operands.insert(operands.end(), value.items.begin(), value.items.end());
    } else {
      operands.push_back(Value::Of(AsTensor(value)));
    }
  }
  return Build(op, std::move(operands), std::move(attributes));
}

}  // namespace tessera::recheck

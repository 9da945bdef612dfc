// Signatures: operands and attributes are bound, what they require is noted, dims of results
// follow.
#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/program.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::AttributeDecl;
using codegen::ClauseItem;
using codegen::Form;
using codegen::FormEntry;
using codegen::Node;
using codegen::Op;
using codegen::Operand;
using codegen::Statement;

void Interpreter::Require(const std::string& id, const Value& holds, std::vector<Dim> others,
                          Requirement::Kind kind) {
  if (!ok()) return;
  const Dim statement = AsDim(holds);
  const std::string op = building_.empty() ? "" : building_.back()->name;
  if (const std::optional<int64_t> number = terms_.Number(statement)) {
    if (*number == 0)
      Wrong(absl::StrCat("`", id, "` of `", op, "` does not hold for what the model gives it"));
    session_.Met(node_.name, op, id);
    return;
  }
  session_.Require({node_.name, op, id, statement, std::move(others), kind});
}

void Interpreter::RequireEach(const std::string& id, const NodePtr& condition) {
  if (condition->kind == Node::kFold && condition->text == "forall") {
    Loop(condition->binders, 0, [&] { RequireEach(id, condition->children[0]); });
    return;
  }
  const Value holds = Evaluate(condition);
  Require(id, holds, {}, asks_loose_ ? Requirement::kImplied : Requirement::kDue);
}

void Interpreter::BindForm(const Operand& operand, const Tensor& tensor) {
  const Form& form = operand.form;
  const auto rank = static_cast<int64_t>(tensor.dims.size());
  if (form.kind == Form::kRank) {
    if (const Value* bound = Find(form.rank_name)) {
      Require("rank." + operand.name, Truth(AsHost(*bound) == rank));
    } else {
      Bind(form.rank_name, Value::Int(terms_.Integer(rank)));
    }
    return;
  }
  if (form.kind != Form::kDims) return;
  int64_t scalars = 0;
  bool has_pack = false;
  for (const FormEntry& entry : form.dims) (entry.pack ? has_pack = true : ++scalars > 0);
  Require("rank." + operand.name, Truth(has_pack ? rank >= scalars : rank == scalars));
  if (!ok()) return;
  size_t at = 0;
  const Scope& own = scopes_.back();
  for (const FormEntry& entry : form.dims) {
    if (entry.pack) {
      std::vector<Value> items;
      for (int64_t n = rank - scalars; n > 0; --n) items.push_back(Value::Int(tensor.dims[at++]));
      const auto bound = own.find(entry.name);
      if (bound == own.end()) {
        Bind(entry.name, Value::List(std::move(items)));
        continue;
      }
      const std::vector<Value>& others = bound->second.items;
      Require("equal." + entry.name, Truth(others.size() == items.size()));
      for (size_t i = 0; ok() && i < items.size(); ++i)
        Require("equal." + entry.name, Apply(Operator::kEq, others[i], items[i]));
      continue;
    }
    const Value dim = Value::Int(tensor.dims[at++]);
    if (entry.name.empty()) {
      Require("equal." + operand.name,
              Apply(Operator::kEq, dim, Value::Int(terms_.Integer(entry.literal))));
    } else if (const auto bound = own.find(entry.name); bound != own.end()) {
      Require("equal." + entry.name, Apply(Operator::kEq, bound->second, dim));
    } else {
      Bind(entry.name, dim);
    }
  }
}

void Interpreter::BindOperands(const Op& op, const std::vector<Value>& operands) {
  std::map<std::string, std::string> types;
  const auto check = [&](const Operand& operand, const Tensor& tensor) {
    const std::string& name = operand.classes.size() == 1 ? operand.classes[0] : operand.type;
    for (const codegen::TypeVariable& variable : op.types) {
      if (variable.name != name) continue;
      const auto [it, fresh] = types.emplace(name, tensor.dtype);
      const std::vector<std::string> all = codegen::DTypesIn(variable.classes);
      if (it->second != tensor.dtype ||
          std::find(all.begin(), all.end(), tensor.dtype) == all.end())
        Wrong(absl::StrCat("`type.", name, "` of `", op.name, "` does not hold"));
      Bind(name, Value::DType(tensor.dtype));
      return;
    }
    const std::vector<std::string> all = codegen::DTypesIn(operand.classes);
    if (std::find(all.begin(), all.end(), tensor.dtype) == all.end())
      Wrong(absl::StrCat("`type.", operand.name, "` of `", op.name, "` does not hold"));
  };
  for (size_t i = 0; ok() && i < op.inputs.size(); ++i) {
    const Operand& operand = op.inputs[i];
    if (operand.arity == Operand::kVariadic) {
      std::vector<Value> rest(
          operands.begin() + static_cast<std::ptrdiff_t>(std::min(i, operands.size())),
          operands.end());
      for (const Value& each : rest) {
        const TensorPtr tensor = AsTensor(each);
        if (tensor == nullptr) {
          Unsupported("an operand that is no tensor");
          return;
        }
        check(operand, *tensor);
        if (operand.form.kind == Form::kRank) BindForm(operand, *tensor);
      }
      Bind(operand.name, Value::List(std::move(rest)));
      continue;
    }
    const TensorPtr tensor = i < operands.size() ? AsTensor(operands[i]) : nullptr;
    Bind(operand.name, Value::Of(tensor));
    if (tensor == nullptr) {
      if (operand.arity == Operand::kRequired)
        Wrong(absl::StrCat("operand `", operand.name, "` of `", op.name, "` is missing"));
      continue;
    }
    check(operand, *tensor);
    BindForm(operand, *tensor);
  }
  // Lists of what is not given are empty.
  for (const Operand& operand : op.inputs) {
    if (operand.arity != Operand::kOptional || operand.form.kind != Form::kDims) continue;
    for (const FormEntry& entry : operand.form.dims) {
      if (entry.pack && !scopes_.back().contains(entry.name)) Bind(entry.name, Value::List({}));
    }
  }
}

void Interpreter::BindAttributes(const Op& op, const Given& attributes, bool all) {
  for (const AttributeDecl& attribute : op.attributes) {
    const bool fresh = attribute.list && attribute.length->kind == Node::kName &&
                       Find(attribute.length->text) == nullptr;
    Value value;
    if (const auto given = attributes.find(attribute.name); given != attributes.end()) {
      value = given->second;
    } else if (attribute.default_value != nullptr) {
      value = AttributeValue(attribute, attribute.default_value);
      if (attribute.list && value.kind != Value::kList && ok()) {
        const int64_t n = fresh ? 0 : AsHost(Evaluate(attribute.length));
        value =
            Value::List(std::vector<Value>(static_cast<size_t>(std::max<int64_t>(n, 0)), value));
      }
    } else if (all) {
      Wrong(absl::StrCat("attribute `", attribute.name, "` of `", op.name, "` is missing"));
    }
    if (!ok()) return;
    if (attribute.list) {
      const auto length = static_cast<int64_t>(value.items.size());
      if (fresh) {
        Bind(attribute.length->text, Value::Int(terms_.Integer(length)));
      } else {
        Require("length." + attribute.name, Truth(AsHost(Evaluate(attribute.length)) == length));
      }
    }
    Bind(attribute.name, std::move(value));
  }
  for (const AttributeDecl& attribute : op.attributes) {
    if (attribute.where == nullptr) continue;
    const Value value = *Find(attribute.name);
    const auto check = [&](const Value& it) {
      scopes_.emplace_back();
      Bind("it", it);
      Require("where." + attribute.name, Evaluate(attribute.where));
      scopes_.pop_back();
    };
    if (value.kind == Value::kList) {
      for (const Value& item : value.items) check(item);
    } else {
      check(value);
    }
  }
}

// Of one of two sizes that it knew to be equal, the compiler may state it of either.
void Interpreter::RequireSize(const std::string& id, Dim size, Requirement::Kind kind) {
  const auto counts = [&](Dim dim) { return terms_.Make(Operator::kGe, dim, terms_.Integer(0)); };
  std::vector<Dim> others;
  if (const certificate::Term term = terms_.terms()[size]; term.op == Operator::kIte)
    others = {counts(term.operands[1]), counts(term.operands[2])};
  Require(id, Value::Int(counts(size)), std::move(others), kind);
}

void Interpreter::Derive(const Op& op) {
  for (const Statement& statement : op.statements) {
    if (!ok()) return;
    if (statement.kind == Statement::kRequire) {
      asks_loose_ = asks_known_otherwise_ = asks_tried_ = false;
      RequireEach(statement.name, statement.value);
      if (asks_known_otherwise_) session_.Free(node_.name, op.name, statement.name);
      if (asks_tried_) session_.Try(node_.name, op.name, statement.name);
      asks_loose_ = false;
      continue;
    }
    const Value value = statement.binders.empty()
                            ? Evaluate(statement.value)
                            : Comprehension(statement.binders, statement.value);
    if (!ok()) return;
    Bind(statement.name, value);
    if (statement.kind != Statement::kShape) continue;
    const std::vector<Value> sizes =
        value.kind == Value::kList ? value.items : std::vector<Value>{value};
    for (const Value& size : sizes) RequireSize("size." + statement.name, AsDim(size));
  }
}

}  // namespace tessera::recheck

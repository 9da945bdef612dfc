#include "recheck/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/program.h"

namespace tessera::recheck {

using codegen::Node;

namespace {

const std::map<std::string, Operator>& Comparisons() {
  static const auto* const kAll = new std::map<std::string, Operator>{
      {"==", Operator::kEq}, {"!=", Operator::kNe}, {"<", Operator::kLt},
      {"<=", Operator::kLe}, {">", Operator::kGt},  {">=", Operator::kGe}};
  return *kAll;
}

template <class T>
bool CompareAs(const std::string& op, const T& a, const T& b) {
  return op == "=="   ? a == b
         : op == "!=" ? a != b
         : op == "<"  ? a < b
         : op == "<=" ? a <= b
         : op == ">"  ? a > b
                      : a >= b;
}

}  // namespace

Value Interpreter::Unsupported(std::string what) {
  if (ok()) unsupported_ = std::move(what);
  return {};
}

void Interpreter::Wrong(std::string what) {
  if (ok()) wrong_ = std::move(what);
}

const Value* Interpreter::Find(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (const auto it = scopes_[i].find(name); it != scopes_[i].end()) return &it->second;
  }
  return nullptr;
}

Dim Interpreter::AsDim(const Value& value) {
  if (value.kind == Value::kInt) return value.dim;
  Unsupported("an integer is needed");
  return terms_.Integer(0);
}

std::vector<Dim> Interpreter::AsDims(const Value& value) {
  std::vector<Dim> dims;
  if (value.kind != Value::kList) Unsupported("a list is needed");
  for (const Value& item : value.items) dims.push_back(AsDim(item));
  return dims;
}

int64_t Interpreter::AsHost(const Value& value) {
  if (value.kind == Value::kInt) {
    if (const std::optional<int64_t> number = terms_.Number(value.dim)) return *number;
  }
  Unsupported("a number is needed where there is none");
  return 0;
}

double Interpreter::AsFloat(const Value& value) {
  return value.kind == Value::kFloat ? value.number : static_cast<double>(AsHost(value));
}

TensorPtr Interpreter::AsTensor(const Value& value) {
  if (value.kind == Value::kTensor) return value.tensor;
  if (value.kind == Value::kList && value.results && !value.items.empty())
    return AsTensor(value.items[0]);
  return nullptr;
}

bool Interpreter::Decide(const Value& condition) {
  if (condition.kind != Value::kInt) {
    Unsupported("a condition is needed");
    return false;
  }
  if (const std::optional<int64_t> number = terms_.Number(condition.dim)) return *number != 0;
  if (!session_.IsDecided(node_.name, "decided.guard", condition.dim)) return false;
  session_.Require({node_.name, "guard", "decided.guard", condition.dim, {}, Requirement::kDue});
  return true;
}

bool Interpreter::Guard(const NodePtr& node) { return Decide(Evaluate(node)); }

Value Interpreter::Evaluate(const NodePtr& pointer) {
  if (!ok()) return {};
  const Node& node = *pointer;
  switch (node.kind) {
    case Node::kInt:
      return Value::Int(terms_.Integer(node.int_value));
    case Node::kFloat:
      return Value::Float(node.float_value);
    case Node::kString:
      return Value::Text(node.text);
    case Node::kName:
      return Name(node);
    case Node::kUnary: {
      const Value a = Evaluate(node.children[0]);
      if (node.text == "!") return Apply(Operator::kNot, a, a);
      if (a.kind == Value::kFloat) return Value::Float(-a.number);
      return Arithmetic("-", Value::Int(terms_.Integer(0)), a);
    }
    case Node::kBinary:
      return Binary(node);
    case Node::kCoalesce:
      return Coalesce(node);
    case Node::kTernary:
      return Ternary(node);
    case Node::kCall:
      return Call(node);
    case Node::kIndex:
      return Index(node);
    case Node::kMember: {
      const Value base = Evaluate(node.children[0]);
      const size_t at = static_cast<size_t>(std::atoi(node.text.c_str()));
      if (base.kind != Value::kList || at >= base.items.size())
        return Unsupported("a further result of what has none");
      return base.items[at];
    }
    case Node::kList: {
      std::vector<Value> items;
      for (const NodePtr& child : node.children) items.push_back(Evaluate(child));
      Value list = Value::List(std::move(items));
      list.results = node.text == "()";
      return list;
    }
    case Node::kListFor:
      return Comprehension(node.binders, node.children[0]);
    case Node::kFold:
      return Fold(node);
    case Node::kScan:
      return Recurrence(node);
    default:
      return Unsupported("a form that is not interpreted");
  }
}

Value Interpreter::Name(const Node& node) {
  if (const Value* value = Find(node.text)) return *value;
  if (node.text == "inf") return Value::Float(std::numeric_limits<double>::infinity());
  if (node.text == "true" || node.text == "false") return Truth(node.text == "true");
  if (codegen::IsDTypeName(node.text)) return Value::DType(node.text);
  // Otherwise the name of an enum's value, or of a class of dtypes.
  return Value::Text(node.text);
}

Value Interpreter::Apply(Operator op, const Value& a, const Value& b) {
  if (a.kind == Value::kList || b.kind == Value::kList) {
    const size_t size = a.kind == Value::kList ? a.items.size() : b.items.size();
    if (a.kind == Value::kList && b.kind == Value::kList && a.items.size() != b.items.size())
      return Unsupported("lists of different lengths");
    std::vector<Value> items;
    for (size_t i = 0; i < size; ++i)
      items.push_back(Apply(op, a.kind == Value::kList ? a.items[i] : a,
                            b.kind == Value::kList ? b.items[i] : b));
    return Value::List(std::move(items));
  }
  if ((op == Operator::kMin || op == Operator::kMax) &&
      (a.kind == Value::kFloat || b.kind == Value::kFloat)) {
    const double x = AsFloat(a), y = AsFloat(b);
    return Value::Float(op == Operator::kMin ? std::min(x, y) : std::max(x, y));
  }
  return Value::Int(terms_.Make(op, AsDim(a), AsDim(b)));
}

Value Interpreter::Arithmetic(const std::string& op, const Value& a, const Value& b) {
  if (a.kind == Value::kList || b.kind == Value::kList) {
    const size_t size = std::min(a.kind == Value::kList ? a.items.size() : SIZE_MAX,
                                 b.kind == Value::kList ? b.items.size() : SIZE_MAX);
    std::vector<Value> items;
    for (size_t i = 0; i < size; ++i)
      items.push_back(Arithmetic(op, a.kind == Value::kList ? a.items[i] : a,
                                 b.kind == Value::kList ? b.items[i] : b));
    return Value::List(std::move(items));
  }
  if (a.kind == Value::kFraction || b.kind == Value::kFraction) return FractionOf(op, a, b);
  if (a.kind == Value::kFloat || b.kind == Value::kFloat) {
    const double x = AsFloat(a), y = AsFloat(b);
    return Value::Float(op == "+" ? x + y : op == "-" ? x - y : op == "*" ? x * y : x / y);
  }
  if (op == "/") return Divide(Operator::kTruncDiv, a, b);
  return Apply(op == "+"   ? Operator::kAdd
               : op == "-" ? Operator::kSubtract
                           : Operator::kMultiply,
               a, b);
}

Value Interpreter::Divide(Operator op, const Value& a, const Value& b) {
  const Dim x = AsDim(a), y = AsDim(b);
  if (!ok() || terms_.Number(y) || session_.IsPositive(y)) return Apply(op, a, b);
  const Dim zero = terms_.Integer(0);
  const auto minus = [&](Dim dim) { return terms_.Make(Operator::kSubtract, zero, dim); };
  // A quotient is as much below 0 as that by the divisor without its sign is above; a remainder has
  // the divisor's sign.
  const Dim below = minus(terms_.Make(op, op == Operator::kMod ? minus(x) : x, minus(y)));
  const Dim not_above =
      terms_.Make(Operator::kIte, terms_.Make(Operator::kLt, y, zero), below, zero);
  return Value::Int(terms_.Make(Operator::kIte, terms_.Make(Operator::kGt, y, zero),
                                terms_.Make(op, x, y), not_above));
}

Value Interpreter::Compare(const std::string& op, const Value& a, const Value& b) {
  if (a.kind == Value::kList && b.kind == Value::kList) {
    Dim equal = terms_.Integer(a.items.size() == b.items.size());
    for (size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i)
      equal = terms_.Make(Operator::kAnd, equal, AsDim(Compare("==", a.items[i], b.items[i])));
    return Value::Int(op == "==" ? equal : terms_.Make(Operator::kNot, equal));
  }
  const auto is_text = [](const Value& v) {
    return v.kind == Value::kText || v.kind == Value::kDType;
  };
  if (is_text(a) && is_text(b)) {
    bool equal = a.text == b.text;
    // A class of dtypes on the right.
    if (a.kind == Value::kDType && b.kind == Value::kText) {
      const std::vector<std::string> members = codegen::DTypesIn({b.text});
      equal = std::find(members.begin(), members.end(), a.text) != members.end();
    }
    return Truth(equal == (op == "=="));
  }
  if (a.kind == Value::kFraction || b.kind == Value::kFraction)
    return CompareFractions(Comparisons().at(op), op, a, b);
  if (a.kind == Value::kFloat || b.kind == Value::kFloat)
    return Truth(CompareAs(op, AsFloat(a), AsFloat(b)));
  return Apply(Comparisons().at(op), a, b);
}

std::optional<bool> Interpreter::IsNamed(const Node& a, const Node& b) const {
  if (a.kind != Node::kName || b.kind != Node::kName || building_.empty()) return std::nullopt;
  for (const codegen::AttributeDecl& attribute : building_.back()->attributes) {
    if (attribute.name != a.text || attribute.kind != "enum") continue;
    const auto& names = attribute.enum_names;
    const Value* const value = Find(a.text);
    if (value == nullptr || std::find(names.begin(), names.end(), b.text) == names.end()) continue;
    return value->text == b.text;
  }
  return std::nullopt;
}

Value Interpreter::Binary(const Node& node) {
  const std::string& op = node.text;
  if (op == "==" || op == "!=") {
    const std::optional<bool> named = IsNamed(*node.children[0], *node.children[1]);
    if (named) return Truth(*named == (op == "=="));
  }
  const Value a = Evaluate(node.children[0]);
  if (op == "&&" || op == "||") {
    const std::optional<int64_t> known =
        a.kind == Value::kInt ? terms_.Number(a.dim) : std::nullopt;
    // What follows may rest on it.
    if (known && (*known != 0) == (op == "||")) return Truth(op == "||");
    const Value b = Evaluate(node.children[1]);
    if (known) return b;
    return Apply(op == "&&" ? Operator::kAnd : Operator::kOr, a, b);
  }
  const Value b = Evaluate(node.children[1]);
  if (op == "++") {
    if (a.kind != Value::kList || b.kind != Value::kList) return Unsupported("no lists");
    Value joined = a;
    joined.items.insert(joined.items.end(), b.items.begin(), b.items.end());
    return joined;
  }
  return Comparisons().contains(op) ? Compare(op, a, b) : Arithmetic(op, a, b);
}

Value Interpreter::Coalesce(const Node& node) {
  const Node& left = *node.children[0];
  if (left.kind == Node::kCall && importing_) {
    if (std::optional<Value> value = ImportCall(left, node.children[1])) return *value;
  }
  if (left.kind == Node::kIndex) {
    if (reading_) {
      bool outside = false;
      const Value value = Read(left, outside);
      return outside ? Evaluate(node.children[1]) : value;
    }
    const Value list = Evaluate(left.children[0]);
    const int64_t at = AsHost(Evaluate(left.children[1]));
    if (list.kind == Value::kList && at >= 0 && at < static_cast<int64_t>(list.items.size()))
      return list.items[static_cast<size_t>(at)];
    return Evaluate(node.children[1]);
  }
  const Value value = Evaluate(node.children[0]);
  return value.kind == Value::kAbsent ? Evaluate(node.children[1]) : value;
}

Value Interpreter::Ternary(const Node& node) {
  const Value condition = Evaluate(node.children[0]);
  if (condition.kind != Value::kInt) return Unsupported("a condition is needed");
  if (const std::optional<int64_t> number = terms_.Number(condition.dim))
    return Evaluate(node.children[*number != 0 ? 1 : 2]);
  // Which operations are built must be decided; numbers may depend on it.
  const Node& yes = *node.children[1];
  if (yes.kind == Node::kCall && Definitions().FindOp(kCore, yes.text) != nullptr)
    return Evaluate(node.children[Decide(condition) ? 1 : 2]);
  const Value a = Evaluate(node.children[1]);
  const Value b = Evaluate(node.children[2]);
  if (a.kind == Value::kTensor || b.kind == Value::kTensor) return Decide(condition) ? a : b;
  if (a.kind == Value::kList && b.kind == Value::kList && a.items.size() == b.items.size()) {
    std::vector<Value> items;
    for (size_t i = 0; i < a.items.size(); ++i)
      items.push_back(Value::Int(
          terms_.Make(Operator::kIte, condition.dim, AsDim(a.items[i]), AsDim(b.items[i]))));
    return Value::List(std::move(items));
  }
  return Value::Int(terms_.Make(Operator::kIte, condition.dim, AsDim(a), AsDim(b)));
}

Value Interpreter::Index(const Node& node) {
  if (reading_) {
    bool outside = false;
    const Value value = Read(node, outside);
    if (outside) return Unsupported("an element outside of a tensor");
    return value;
  }
  const Value index = Evaluate(node.children[1]);
  // One that has a name stays where it is: copied for each of its items it would take the square of
  // its length.
  const Node& of = *node.children[0];
  const Value* const named = of.kind == Node::kName ? Find(of.text) : nullptr;
  const Value own = named == nullptr ? Evaluate(node.children[0]) : Value();
  const Value& list = named == nullptr ? own : *named;
  if (list.kind != Value::kList) return Unsupported("an index into what is no list");
  const int64_t at = AsHost(index);
  if (at < 0 || at >= static_cast<int64_t>(list.items.size()))
    return list.items.empty() || list.items[0].kind == Value::kInt ? Value::Int(terms_.Integer(0))
                                                                   : Value();
  return list.items[static_cast<size_t>(at)];
}

}  // namespace tessera::recheck

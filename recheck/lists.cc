// Functions of lists, operands and numbers.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;

namespace {

Value ListOf(const std::vector<Dim>& dims) {
  std::vector<Value> items;
  for (const Dim dim : dims) items.push_back(Value::Int(dim));
  return Value::List(std::move(items));
}

}  // namespace

// The NumPy rule. Where two dims may differ one must be 1, and the result is what that leaves.
Value Interpreter::Broadcast(const Value& left, const Value& right) {
  const std::vector<Dim> a = AsDims(left), b = AsDims(right);
  const size_t rank = std::max(a.size(), b.size());
  const Dim one = terms_.Integer(1);
  const auto make = [&](Operator op, Dim x, Dim y) { return terms_.Make(op, x, y); };
  std::vector<Value> result;
  for (size_t d = 0; d < rank; ++d) {
    const Dim x = d + a.size() >= rank ? a[d + a.size() - rank] : one;
    const Dim y = d + b.size() >= rank ? b[d + b.size() - rank] : one;
    const bool x_known = terms_.Number(x).has_value(), y_known = terms_.Number(y).has_value();
    if (x == one || y == one || (x == y && x_known)) {
      // As it was computed, it may have been stated.
      if (x == y) Require("broadcast", Truth(true));
      result.push_back(Value::Int(x == one ? y : x));
      continue;
    }
    const Dim equal = make(Operator::kEq, x, y);
    if (x == y) {
      // Computed in two ways that are one here.
      Require("broadcast", Value::Int(equal), {}, Requirement::kAllowed);
      result.push_back(Value::Int(x));
      continue;
    }
    const Dim x_is_one = make(Operator::kEq, x, one), y_is_one = make(Operator::kEq, y, one);
    const Dim either = make(Operator::kOr, equal, make(Operator::kOr, x_is_one, y_is_one));
    // The compiler may ask for more.
    Require("broadcast", Value::Int(either),
            {equal, make(Operator::kOr, equal, x_is_one), make(Operator::kOr, equal, y_is_one)});
    result.push_back(Value::Int(x_known && !y_known ? x
                                : y_known && !x_known
                                    ? y
                                    : terms_.Make(Operator::kIte, x_is_one, y, x)));
  }
  return Value::List(std::move(result));
}

// Whether the name is of an operand that is declared with `elements?`.
bool Interpreter::IsOptionallyKnown(const Node& name) const {
  if (name.kind != Node::kName || building_.empty()) return false;
  const std::vector<codegen::Operand>& inputs = building_.back()->inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](const codegen::Operand& operand) {
    return operand.name == name.text && operand.known_elements;
  });
}

std::optional<Value> Interpreter::ListCall(const Node& node) {
  const std::string& name = node.text;
  static const std::map<std::string, size_t> kArguments = {
      {"len", 1},      {"take", 2},    {"drop", 2},      {"contains", 2}, {"index_of", 2},
      {"product", 1},  {"sum", 1},     {"broadcast", 2}, {"rank", 1},     {"dim", 2},
      {"dims", 1},     {"dtype", 1},   {"count", 1},     {"elem", 2},     {"present", 1},
      {"elements", 1}, {"extremes", 1}};
  const auto known = kArguments.find(name);
  if (known == kArguments.end() || known->second != node.children.size()) return std::nullopt;
  const Value a = Evaluate(node.children[0]);
  const Value b = node.children.size() > 1 ? Evaluate(node.children[1]) : Value();
  if (!ok()) return Value();
  if (name == "present") return Truth(a.kind != Value::kAbsent);
  if ((name == "elements" || name == "extremes") && IsOptionallyKnown(*node.children[0]))
    return Extremes(a, name == "elements");
  if (const TensorPtr tensor = AsTensor(a)) {
    if (name == "dims") return ListOf(tensor->dims);
    if (name == "rank")
      return Value::Int(terms_.Integer(static_cast<int64_t>(tensor->dims.size())));
    if (name == "dtype") return Value::DType(tensor->dtype);
    if (name == "dim") {
      const int64_t d = AsHost(b);
      if (d < 0 || d >= static_cast<int64_t>(tensor->dims.size()))
        return Value::Int(terms_.Integer(0));
      return Value::Int(tensor->dims[static_cast<size_t>(d)]);
    }
    if (name == "elements") return Elements(a);
    if (name == "extremes") return Extremes(a, false);
    if (name == "elem") {
      const Value elements = Elements(a);
      const int64_t i = AsHost(b);
      if (i < 0 || i >= static_cast<int64_t>(elements.items.size()))
        return Value::Int(terms_.Integer(0));
      return elements.items[static_cast<size_t>(i)];
    }
  }
  if (name == "broadcast") return Broadcast(a, b);
  if (a.kind != Value::kList) return Unsupported(absl::StrCat("`", name, "` of what is no list"));
  const int64_t size = static_cast<int64_t>(a.items.size());
  if (name == "len" || name == "count") return Value::Int(terms_.Integer(size));
  if (name == "contains" || name == "index_of") {
    const int64_t wanted = AsHost(b);
    for (int64_t i = 0; i < size; ++i) {
      if (AsHost(a.items[static_cast<size_t>(i)]) == wanted)
        return Value::Int(terms_.Integer(name == "contains" ? 1 : i));
    }
    return Value::Int(terms_.Integer(name == "contains" ? 0 : -1));
  }
  if (name == "take" || name == "drop") {
    const auto n = static_cast<std::ptrdiff_t>(std::clamp<int64_t>(AsHost(b), 0, size));
    return Value::List(name == "take" ? std::vector<Value>(a.items.begin(), a.items.begin() + n)
                                      : std::vector<Value>(a.items.begin() + n, a.items.end()));
  }
  if (name == "product" || name == "sum") {
    Value result = Value::Int(terms_.Integer(name == "product" ? 1 : 0));
    for (const Value& item : a.items)
      result = Arithmetic(name == "product" ? "*" : "+", result, item);
    return result;
  }
  return Unsupported(absl::StrCat("`", name, "` of a list"));
}

std::optional<Value> Interpreter::NumberCall(const Node& node) {
  static const std::map<std::string, Operator> kBinary = {{"floordiv", Operator::kFloorDiv},
                                                          {"ceildiv", Operator::kCeilDiv},
                                                          {"mod", Operator::kMod},
                                                          {"min", Operator::kMin},
                                                          {"max", Operator::kMax}};
  const std::string& name = node.text;
  std::vector<Value> args;
  for (const NodePtr& child : node.children) args.push_back(Evaluate(child));
  if (!ok()) return Value();
  if (passing_) {
    if (std::optional<Value> value = FractionCall(name, args)) return *value;
  }
  if (const auto op = kBinary.find(name); op != kBinary.end() && args.size() == 2)
    return Apply(op->second, args[0], args[1]);
  if (name == "pymod" && args.size() == 2) return Divide(Operator::kMod, args[0], args[1]);
  if (name == "scaled" && args.size() == 2) {
    // floor(x * factor), for a factor m / 2^e of float precision.
    int exponent = 0;
    const double mantissa =
        std::frexp(static_cast<double>(static_cast<float>(AsFloat(args[1]))), &exponent);
    auto m = static_cast<int64_t>(std::ldexp(mantissa, 24));
    int e = 24 - exponent;
    for (; e > 0 && m % 2 == 0 && m != 0; --e) m /= 2;
    const Value product = Apply(Operator::kMultiply, args[0], Value::Int(terms_.Integer(m)));
    if (e <= 0)
      return Apply(Operator::kMultiply, product,
                   Value::Int(terms_.Integer(int64_t{1} << std::min(-e, 30))));
    if (e > 60) return Value::Int(terms_.Integer(0));
    return Apply(Operator::kFloorDiv, product, Value::Int(terms_.Integer(int64_t{1} << e)));
  }
  if (name == "cast" && args.size() == 2 && reading_) {
    const std::string& to = args[0].text;
    if (to == "bool") return Compare("!=", args[1], Value::Int(terms_.Integer(0)));
    // That narrow integers fit is required of the result.
    if (to[0] != 'i' && to[0] != 'u') return Unsupported(absl::StrCat("sizes as ", to));
    return args[1].kind == Value::kInt ? args[1] : Unsupported("sizes computed in floats");
  }
  if (name == "select" && args.size() == 3) {
    const Dim condition = AsDim(args[0]);
    return Value::Int(terms_.Make(Operator::kIte, condition, AsDim(args[1]), AsDim(args[2])));
  }
  // That it lies there is required of the indices.
  if (name == "within" && args.size() == 2 && reading_) return args[0];
  if (name == "fmod" && args.size() == 2 && args[0].kind == Value::kInt) {
    const Value quotient = Divide(Operator::kTruncDiv, args[0], args[1]);
    return Arithmetic("-", args[0], Apply(Operator::kMultiply, args[1], quotient));
  }
  if (args.size() == 1 && (name == "abs" || name == "neg") && args[0].kind == Value::kInt) {
    if (name == "abs") return Apply(Operator::kAbs, args[0], args[0]);
    return Arithmetic("-", Value::Int(terms_.Integer(0)), args[0]);
  }
  if (reading_ && name == "sign" && args.size() == 1 && args[0].kind == Value::kInt) {
    const Dim x = args[0].dim, zero = terms_.Integer(0);
    return Value::Int(terms_.Make(Operator::kSubtract, terms_.Make(Operator::kGt, x, zero),
                                  terms_.Make(Operator::kLt, x, zero)));
  }
  if (reading_ && args.size() == 1 && args[0].kind == Value::kInt &&
      (name == "floor" || name == "ceil" || name == "round" || name == "trunc"))
    return args[0];
  if (name == "pow" && args.size() == 2 && reading_ && args[0].kind == Value::kInt) {
    const int64_t exponent = AsHost(args[1]);
    if (exponent < 0 || exponent > 8) return Unsupported(absl::StrCat("the power ", exponent));
    Value power = Value::Int(terms_.Integer(1));
    for (int64_t i = 0; i < exponent; ++i) power = Apply(Operator::kMultiply, power, args[0]);
    return power;
  }
  if (args.size() == 1 && (args[0].kind == Value::kFloat || terms_.Number(AsDim(args[0])))) {
    const double x = AsFloat(args[0]);
    if (name == "abs") return Value::Float(std::abs(x));
    if (name == "sqrt") return Value::Float(std::sqrt(x));
    if (name == "exp") return Value::Float(std::exp(x));
    if (name == "log") return Value::Float(std::log(x));
    if (name == "floor") return Value::Float(std::floor(x));
    if (name == "ceil") return Value::Float(std::ceil(x));
    if (name == "round") return Value::Float(std::nearbyint(x));
  }
  if (name == "pow" && args.size() == 2)
    return Value::Float(std::pow(AsFloat(args[0]), AsFloat(args[1])));
  return std::nullopt;
}

}  // namespace tessera::recheck

#include "nests/scalar.h"

#include <array>
#include <cmath>
#include <limits>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"

namespace tessera::nests {
namespace {

constexpr std::array<std::string_view, kFunctionCount> kFunctionNames = {
    "+",      "-",      "*",      "/",     "min",      "max",      "pow",   "fmod",  "pymod",
    "bitand", "bitor",  "bitxor", "shl",   "shr",      "==",       "!=",    "<",     "<=",
    ">",      ">=",     "&&",     "||",    "!",        "neg",      "abs",   "sign",  "floor",
    "ceil",   "round",  "trunc",  "sqrt",  "exp",      "log",      "sin",   "cos",   "tan",
    "asin",   "acos",   "atan",   "sinh",  "cosh",     "tanh",     "asinh", "acosh", "atanh",
    "erf",    "bitnot", "isnan",  "isinf", "isposinf", "isneginf", "select"};

size_t HashOf(const ScalarNode& node) {
  size_t hash =
      absl::HashOf(static_cast<int>(node.kind), static_cast<int>(node.number), node.literal.u,
                   node.index, static_cast<int>(node.tensor.kind), node.tensor.index,
                   static_cast<int>(node.function), static_cast<int>(node.reduction));
  for (const Index& index : node.at)
    hash = absl::HashOf(hash, index.expr, index.data.IsNone() ? 0 : index.data.hash());
  for (const Axis& axis : node.axes) hash = absl::HashOf(hash, axis.symbol, axis.extent);
  for (const Scalar& arg : node.args) hash = absl::HashOf(hash, arg.hash());
  return hash;
}

}  // namespace

std::string_view NameOf(Number number) {
  constexpr std::array<std::string_view, 5> kNames = {"f32", "f64", "i64", "u64", "bool"};
  return kNames[static_cast<size_t>(number)];
}

Number NumberOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF64:
      return Number::kF64;
    case ir::DType::kU64:
      return Number::kU64;
    case ir::DType::kBool:
      return Number::kBool;
    default:
      // Narrow floats in f64, so that what comes from there is rounded once.
      if (ir::Contains(ir::kNarrowFloatTypes, dtype)) return Number::kF64;
      return ir::IsFloat(dtype) ? Number::kF32 : Number::kI64;
  }
}

ir::DType DTypeOf(Number number) {
  switch (number) {
    case Number::kF32:
      return ir::DType::kF32;
    case Number::kF64:
      return ir::DType::kF64;
    case Number::kI64:
      return ir::DType::kI64;
    case Number::kU64:
      return ir::DType::kU64;
    case Number::kBool:
      return ir::DType::kBool;
  }
  return ir::DType::kI64;
}

Number AccumulatorOf(Number number) {
  if (number == Number::kF32) return Number::kF64;
  return number == Number::kBool ? Number::kI64 : number;
}

Value Value::OfFloat(Number number, double f) {
  Value value;
  value.number = number;
  value.f = number == Number::kF32 ? static_cast<double>(static_cast<float>(f)) : f;
  return value;
}

Value Value::OfInt(Number number, int64_t i) {
  Value value;
  value.number = number;
  value.i = i;
  return value;
}

Value Value::OfUnsigned(uint64_t u) {
  Value value;
  value.number = Number::kU64;
  value.u = u;
  return value;
}

bool Value::IsTrue() const { return IsFloat(number) ? f != 0 : i != 0; }

std::string ToString(const Value& value) {
  switch (value.number) {
    case Number::kF32:
      return absl::StrCat(static_cast<float>(value.f));
    case Number::kF64:
      return absl::StrCat(value.f);
    case Number::kI64:
      return absl::StrCat(value.i);
    case Number::kU64:
      return absl::StrCat(value.u);
    case Number::kBool:
      return value.i != 0 ? "true" : "false";
  }
  return "";
}

std::string_view NameOf(Function function) { return kFunctionNames[static_cast<size_t>(function)]; }

bool YieldsTruth(Function function) {
  return (function >= Function::kEq && function <= Function::kNot) ||
         (function >= Function::kIsNan && function <= Function::kIsNegInf);
}

std::string_view NameOf(Reduction reduction) {
  constexpr std::array<std::string_view, 6> kNames = {"sum", "product", "min", "max", "any", "all"};
  return kNames[static_cast<size_t>(reduction)];
}

Value IdentityOf(Reduction reduction, Number number) {
  const auto whole = [&](int64_t i) {
    return IsFloat(number) ? Value::OfFloat(number, static_cast<double>(i))
                           : Value::OfInt(number, i);
  };
  const double inf = std::numeric_limits<double>::infinity();
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAny:
      return whole(0);
    case Reduction::kProduct:
    case Reduction::kAll:
      return whole(1);
    case Reduction::kMin:
      if (IsFloat(number)) return Value::OfFloat(number, inf);
      if (number == Number::kU64) return Value::OfUnsigned(std::numeric_limits<uint64_t>::max());
      return Value::OfInt(number,
                          number == Number::kBool ? 1 : std::numeric_limits<int64_t>::max());
    case Reduction::kMax:
      if (IsFloat(number)) return Value::OfFloat(number, -inf);
      if (number == Number::kI64) return Value::OfInt(number, std::numeric_limits<int64_t>::min());
      return whole(0);
  }
  return whole(0);
}

Scalar Scalar::Make(ScalarNode node) {
  node.hash = HashOf(node);
  Scalar scalar;
  scalar.node_ = std::make_shared<const ScalarNode>(std::move(node));
  return scalar;
}

Scalar Scalar::Literal(const Value& value) {
  ScalarNode node;
  node.number = value.number;
  node.literal = value;
  return Make(std::move(node));
}

Scalar Scalar::Truth(bool truth) { return Literal(Value::OfInt(Number::kBool, truth ? 1 : 0)); }

Scalar Scalar::OfIndex(const Expr& index) {
  if (const auto constant = index.Constant()) return Literal(Value::OfInt(Number::kI64, *constant));
  ScalarNode node;
  node.kind = ScalarNode::kIndex;
  node.index = index;
  return Make(std::move(node));
}

Scalar Scalar::OfProposition(const Expr& proposition) {
  if (const auto constant = proposition.Constant()) return Truth(*constant != 0);
  ScalarNode node;
  node.kind = ScalarNode::kIndex;
  node.number = Number::kBool;
  node.index = proposition;
  return Make(std::move(node));
}

Scalar Scalar::Read(TensorId tensor, Number number, std::vector<Index> at, Scalar otherwise) {
  ScalarNode node;
  node.kind = ScalarNode::kRead;
  node.number = number;
  node.tensor = tensor;
  node.at = std::move(at);
  if (!otherwise.IsNone()) node.args.push_back(std::move(otherwise));
  return Make(std::move(node));
}

Scalar Scalar::Reduce(Reduction reduction, Number number, const Value& identity,
                      std::vector<Axis> axes, std::vector<Scalar> terms) {
  if (terms.empty()) return Literal(identity);
  ScalarNode node;
  node.kind = ScalarNode::kReduce;
  node.number = number;
  node.literal = identity;
  node.reduction = reduction;
  node.axes = std::move(axes);
  node.args = std::move(terms);
  return Make(std::move(node));
}

Scalar Scalar::Call(Function function, Number number, std::vector<Scalar> args) {
  ScalarNode node;
  node.kind = ScalarNode::kCall;
  node.number = YieldsTruth(function) ? Number::kBool : number;
  node.function = function;
  node.args = std::move(args);
  return Make(std::move(node));
}

Scalar Scalar::Choose(const Expr& proposition, Scalar a, Scalar b) {
  if (const auto constant = proposition.Constant()) return *constant != 0 ? a : b;
  ScalarNode node;
  node.kind = ScalarNode::kChoose;
  node.number = a->number;
  node.index = proposition;
  node.args = {std::move(a), std::move(b)};
  return Make(std::move(node));
}

Scalar Scalar::Cast(Number number, Scalar value) {
  if (value->number == number) return value;
  ScalarNode node;
  node.kind = ScalarNode::kCast;
  node.number = number;
  node.args.push_back(std::move(value));
  return Make(std::move(node));
}

Scalar Scalar::Within(Scalar value, const Expr& extent) {
  ScalarNode node;
  node.kind = ScalarNode::kWithin;
  node.number = value->number;
  node.index = extent;
  node.args.push_back(std::move(value));
  return Make(std::move(node));
}

size_t Scalar::hash() const { return node_ == nullptr ? 0 : node_->hash; }

bool operator==(const Scalar& a, const Scalar& b) {
  if (a.node_ == b.node_) return true;
  if (a.node_ == nullptr || b.node_ == nullptr || a->hash != b->hash) return false;
  return a->kind == b->kind && a->number == b->number && a->literal.u == b->literal.u &&
         a->index == b->index && a->tensor == b->tensor && a->at == b->at &&
         a->function == b->function && a->reduction == b->reduction && a->axes == b->axes &&
         a->args == b->args;
}

}  // namespace tessera::nests

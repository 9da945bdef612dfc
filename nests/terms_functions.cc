// What functions make of terms.
#include <algorithm>
#include <cmath>

#include "nests/polynomial.h"
#include "nests/terms.h"

namespace tessera::nests {

using internal::Accumulate;
using internal::Combined;

namespace {

bool Commutes(Function function) {
  switch (function) {
    case Function::kAdd:
    case Function::kMul:
    case Function::kEq:
    case Function::kNe:
    case Function::kAnd:
    case Function::kOr:
    case Function::kBitAnd:
    case Function::kBitOr:
    case Function::kBitXor:
      return true;
    default:
      return false;
  }
}

bool Rounds(Function function) {
  return function == Function::kFloor || function == Function::kCeil ||
         function == Function::kRound || function == Function::kTrunc;
}

int BitsOf(ir::DType dtype) {
  if (dtype == ir::DType::kI4 || dtype == ir::DType::kU4) return 4;
  if (dtype == ir::DType::kI2 || dtype == ir::DType::kU2) return 2;
  return static_cast<int>(8 * ir::SizeOf(dtype));
}

// The low bits of a word, as a two's complement or unsigned number of that width.
uint64_t Narrowed(ir::DType dtype, uint64_t word) {
  const int bits = BitsOf(dtype);
  if (bits == 64) return word;
  const uint64_t low = word & ((uint64_t{1} << bits) - 1);
  const bool is_signed = ir::Contains(
      ir::kSignedIntTypes | ir::SetOf(ir::DType::kI4) | ir::SetOf(ir::DType::kI2), dtype);
  return is_signed && (low >> (bits - 1)) != 0 ? low | ~((uint64_t{1} << bits) - 1) : low;
}

}  // namespace

// min and max as sets.
Terms::Element Terms::Extreme(Function function, Number number, const std::vector<Element>& args) {
  std::vector<int> members;
  std::optional<Value> limit;     // of integers, or no number
  std::optional<Rational> known;  // of reals
  for (const Element arg : args) {
    const Node& node = At(arg);
    if (node.kind == Node::kApply && node.code == static_cast<int>(function)) {
      members.insert(members.end(), node.args.begin(), node.args.end());
    } else {
      members.push_back(arg);
    }
  }
  std::vector<int> others;
  for (const int member : members) {
    const Node& node = At(member);
    const std::optional<Rational> constant = ConstantOf(member);
    if (constant.has_value()) {
      const bool less = known.has_value() && *constant < *known;
      if (!known.has_value() || less == (function == Function::kMin)) known = constant;
    } else if (node.kind != Node::kLiteral) {
      others.push_back(member);
    } else {
      limit = limit.has_value() ? nests::Apply(function, {*limit, node.literal}) : node.literal;
    }
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  if (limit.has_value()) {
    const Reduction reduction = function == Function::kMin ? Reduction::kMin : Reduction::kMax;
    const bool identity = *limit == IdentityOf(reduction, limit->number);
    if ((others.empty() && !known.has_value()) || !identity) others.push_back(Literal(*limit));
  }
  if (known.has_value()) others.push_back(FromRational(*known));
  return others.size() == 1 ? others[0] : Node1(static_cast<int>(function), number, others);
}

Terms::Element Terms::Compare(Function function, Element a, Element b) {
  if (function == Function::kGt) return Compare(Function::kLt, b, a);
  if (function == Function::kGe) return Compare(Function::kLe, b, a);
  if (function == Function::kNe)
    return Apply(Function::kNot, Number::kBool, {Compare(Function::kEq, a, b)});
  const Number number = At(a).number;
  if (function == Function::kEq) {
    // Truth values as numbers are equal if they are.
    const auto truth = [&](Element e) {
      const Node& node = At(e);
      const bool converted = node.kind == Node::kApply && node.code == kConvert &&
                             At(node.args[0]).number == Number::kBool;
      return converted ? std::optional(node.args[0]) : std::nullopt;
    };
    const std::optional<Element> left = truth(a), right = truth(b);
    if (left.has_value() && right.has_value()) return Compare(function, *left, *right);
    for (const auto& [side, other] : {std::pair(left, b), std::pair(right, a)}) {
      const std::optional<int64_t> word =
          side.has_value() && At(other).number == Number::kI64 ? AsIndex(other) : std::nullopt;
      if (!word.has_value()) continue;
      if (*word == 1) return *side;
      return *word == 0 ? Apply(Function::kNot, Number::kBool, {*side})
                        : Literal(Value::OfInt(Number::kBool, 0));
    }
  }
  if (a == b && (Reals(number) || !IsFloat(number)))
    return Literal(Value::OfInt(Number::kBool, function != Function::kLt ? 1 : 0));
  if (Reals(number)) {
    const std::optional<Element> difference = Arithmetic(Function::kSub, number, {a, b});
    if (difference.has_value()) {
      if (const std::optional<Rational> d = ConstantOf(*difference)) {
        const bool holds = function == Function::kLt   ? d->IsNegative()
                           : function == Function::kLe ? d->IsNegative() || d->IsZero()
                                                       : d->IsZero();
        return Literal(Value::OfInt(Number::kBool, holds ? 1 : 0));
      }
      // A positive factor does not matter, and for equality none does.
      const Poly<Rational> poly = RealOf(*difference);
      Rational leading = poly.begin()->second;
      if (leading.IsNegative() && function != Function::kEq) leading = leading.Negated();
      const auto scale = leading.Reciprocal();
      const auto monic = scale.has_value()
                             ? Combined(Function::kMul, poly, Poly<Rational>{{{}, *scale}})
                             : std::nullopt;
      if (monic.has_value())
        return Node1(function == Function::kLt   ? kBelowZero
                     : function == Function::kLe ? kAtMostZero
                                                 : kIsZero,
                     Number::kBool, {FromReal(*monic)});
    }
  }
  if (function == Function::kEq && b < a) std::swap(a, b);
  return Node1(static_cast<int>(function), Number::kBool, {a, b});
}

Terms::Element Terms::Unary(Function function, Number number, Element a) {
  const Node& node = At(a);
  if (Reals(node.number)) {
    if (const std::optional<Element> value = OfConstant(function, a)) return *value;
    if (const std::optional<Element> defined = Defined(function, {a})) return *defined;
  }
  const auto inner = [&](Function f) {
    return node.kind == Node::kApply && node.code == static_cast<int>(f);
  };
  if (function == Function::kNot && inner(Function::kNot)) return node.args[0];
  if (function == Function::kBitNot && inner(Function::kBitNot)) return node.args[0];
  if (Rounds(function)) {
    if (!IsFloat(node.number)) return a;
    if (node.kind == Node::kApply && node.code < static_cast<int>(kFunctionCount) &&
        (Rounds(static_cast<Function>(node.code)) || inner(Function::kSign)))
      return a;
  }
  if ((function == Function::kAbs || function == Function::kSign) && inner(function)) return a;
  if (function == Function::kAbs) {
    if (inner(Function::kNeg) || inner(Function::kSqrt))
      return inner(Function::kNeg) ? Unary(function, number, node.args[0]) : a;
    if (node.kind == Node::kReal && node.real.begin()->second.IsNegative()) {
      if (const auto negated = Arithmetic(Function::kNeg, Number::kF64, {a}))
        return Node1(static_cast<int>(function), number, {*negated});
    }
  }
  return Node1(static_cast<int>(function), number, {a});
}

// What holds of every float, for any bits.
std::optional<Terms::Element> Terms::Exact(Function function, Number number,
                                           std::vector<Element>& args) {
  const bool zero_drops = function == Function::kAdd
                              ? Is(args.back(), -0.0)
                              : function == Function::kSub && Is(args.back(), 0.0);
  if (zero_drops) return args[0];
  if (function == Function::kAdd && Is(args[0], -0.0)) return args[1];
  if ((function == Function::kMul || function == Function::kDiv) && Is(args[1], 1)) return args[0];
  if (function == Function::kMul && Is(args[0], 1)) return args[1];
  const auto negated = [&](Element e) {
    const Node& node = At(e);
    return node.kind == Node::kApply && node.code == static_cast<int>(Function::kNeg);
  };
  if (function == Function::kNeg && negated(args[0])) return At(args[0]).args[0];
  if ((function == Function::kMin || function == Function::kMax) && args[0] == args[1])
    return args[0];
  if (function == Function::kMin || function == Function::kMax) {
    // max(max(a, b), b) is max(a, b): the same one of equal zeros wins again.
    const Node& node = At(args[0]);
    if (node.kind == Node::kApply && node.code == static_cast<int>(function) &&
        node.args.back() == args[1])
      return args[0];
    // The identity changes nothing, NaN included.
    const Reduction reduction = function == Function::kMin ? Reduction::kMin : Reduction::kMax;
    if (Is(args[0], IdentityOf(reduction, number).f)) return args[1];
    if (Is(args[1], IdentityOf(reduction, number).f)) return args[0];
  }
  return std::nullopt;
}

Terms::Element Terms::Apply(Function function, Number number, std::vector<Element> args) {
  if (args.size() == 1 || function != Function::kSelect) {
    const bool known =
        std::all_of(args.begin(), args.end(), [&](int a) { return At(a).kind == Node::kLiteral; });
    const bool real =
        std::any_of(args.begin(), args.end(), [&](int a) { return Reals(At(a).number); });
    if (known && !real) {
      std::vector<Value> values;
      for (const int arg : args) values.push_back(At(arg).literal);
      return Literal(nests::Apply(function, values));
    }
  }
  const Number of = At(args.back()).number;
  if (function == Function::kSelect) {
    if (At(args[0]).kind == Node::kLiteral) return At(args[0]).literal.IsTrue() ? args[1] : args[2];
    if (args[1] == args[2]) return args[1];
    if (At(args[0]).kind == Node::kApply && At(args[0]).code == static_cast<int>(Function::kNot))
      return Apply(function, number, {At(args[0]).args[0], args[2], args[1]});
    return Node1(static_cast<int>(function), number, std::move(args));
  }
  if (const std::optional<Element> sum = Arithmetic(function, of, args)) return *sum;
  if (IsFloat(of) && theory_ == Theory::kExact) {
    if (const std::optional<Element> same = Exact(function, of, args)) return *same;
  }
  const bool extreme = function == Function::kMin || function == Function::kMax;
  if (extreme && (Reals(of) || !IsFloat(of))) return Extreme(function, number, args);
  if (function >= Function::kEq && function <= Function::kGe)
    return Compare(function, args[0], args[1]);
  if (function == Function::kAnd || function == Function::kOr) {
    const bool absorbing = function == Function::kOr;
    for (size_t i = 0; i < 2; ++i) {
      if (At(args[i]).kind != Node::kLiteral) continue;
      return At(args[i]).literal.IsTrue() == absorbing ? args[i]
                                                       : Convert(Number::kBool, args[1 - i]);
    }
    if (args[0] == args[1]) return args[0];
  }
  if (Reals(of) && args.size() == 2) {
    if (const std::optional<Element> defined = Defined(function, args)) return *defined;
  }
  if (Reals(of) && function == Function::kPow && At(args[1]).kind == Node::kLiteral) {
    const double exponent = At(args[1]).literal.f;
    if (exponent == 1) return args[0];
    if (exponent == 2 || exponent == 3) {
      const Element square = Apply(Function::kMul, number, {args[0], args[0]});
      return exponent == 2 ? square : Apply(Function::kMul, number, {square, args[0]});
    }
    if (exponent == 0.5) return Unary(Function::kSqrt, number, args[0]);
  }
  if (args.size() == 1)
    return Unary(function, YieldsTruth(function) ? Number::kBool : number, args[0]);
  if (Commutes(function) && args[1] < args[0]) std::swap(args[0], args[1]);
  return Node1(static_cast<int>(function), YieldsTruth(function) ? Number::kBool : number,
               std::move(args));
}

Terms::Element Terms::Combine(Reduction reduction, Element sum, Element term) {
  constexpr Function kSteps[] = {Function::kAdd, Function::kMul, Function::kMin,
                                 Function::kMax, Function::kOr,  Function::kAnd};
  return Apply(kSteps[static_cast<size_t>(reduction)], At(sum).number, {sum, term});
}

Terms::Element Terms::Convert(Number number, Element value) {
  const Node& node = At(value);
  const Number from = node.number;
  if (from == number) return value;
  if (Reals(from) && IsFloat(number)) return value;
  if (Reals(number) && IsFloat(from)) return value;
  if (Reals(from) && ConstantOf(value).has_value() && number != Number::kBool)
    return Literal(nests::Convert(number, Value::OfInt(Number::kI64, *AsIndex(value))));
  if (node.kind == Node::kLiteral)
    return Literal(nests::Convert(Reals(number) ? Number::kF64 : number, node.literal));
  if (Reals(number) && node.kind == Node::kWhole && from == Number::kI64 &&
      RangeOf(node.whole).has_value()) {
    // No sum wraps: the conversion of a sum is the sum of conversions.
    Element sum = Known(0);
    const Poly<uint64_t> poly = node.whole;
    for (const auto& [monomial, word] : poly) {
      Element term = Known(static_cast<double>(static_cast<int64_t>(word)));
      for (const auto& [atom, exponent] : monomial) {
        for (int k = 0; k < exponent; ++k) term = Call(Function::kMul, term, Convert(number, atom));
      }
      sum = Call(Function::kAdd, sum, term);
    }
    return sum;
  }
  if (number == Number::kBool)
    return Compare(Function::kNe, value,
                   Literal(nests::Convert(from, Value::OfInt(Number::kI64, 0))));
  const bool words = (from == Number::kI64 || from == Number::kU64) &&
                     (number == Number::kI64 || number == Number::kU64);
  if (words) return FromWhole(WholeOf(value), number);
  if (node.kind == Node::kApply && node.code == kConvert) {
    const Element inner = node.args[0];
    const Number origin = At(inner).number;
    // There and back: every f32 is an f64, every truth value any number.
    const bool kept = (origin == Number::kF32 && from == Number::kF64) || origin == Number::kBool;
    if (kept && origin == number) return inner;
    if (origin == Number::kBool) return Convert(number, inner);
  }
  return Node1(kConvert, Reals(number) ? Number::kF64 : number, {value});
}

Terms::Element Terms::Narrow(ir::DType dtype, Element value) {
  const Number number = NumberOf(dtype);
  const bool coarse = ir::Contains(ir::kNarrowFloatTypes, dtype);
  if (dtype == ir::DType::kF16 || dtype == ir::DType::kBF16 || coarse) {
    const Element single = Convert(number, value);
    // A grid of a few bits is meant; it is no error of rounding.
    if (theory_ == Theory::kReals && !coarse) return single;
    const Node& node = At(single);
    if (node.kind == Node::kInput && node.dtype == dtype) return single;
    if (node.kind == Node::kApply && node.code == kNarrow && node.dtype == dtype) return single;
    return Node1(kNarrow, number, {single}, dtype);
  }
  if (IsFloat(number) || number == Number::kBool || BitsOf(dtype) == 64)
    return Convert(number, value);
  // Modulo 2^bits, so that what was narrowed on the way need not have been.
  const Element word = Convert(Number::kI64, value);
  const Node& whole = At(word);
  const auto in_range = [&](const Node& node) {
    return (node.kind == Node::kInput || (node.kind == Node::kApply && node.code == kNarrow)) &&
           node.dtype == dtype;
  };
  if (in_range(whole)) return word;
  if (whole.kind == Node::kLiteral)
    return Literal(
        Value::OfInt(Number::kI64, static_cast<int64_t>(Narrowed(dtype, whole.literal.u))));
  Poly<uint64_t> reduced;
  for (const auto& [monomial, coefficient] : WholeOf(word)) {
    const uint64_t low = Narrowed(dtype, coefficient);
    if (low == 0) continue;
    const bool single = monomial.size() == 1 && monomial[0].second == 1;
    const bool inner = single && At(monomial[0].first).kind == Node::kApply &&
                       At(monomial[0].first).code == kNarrow &&
                       At(monomial[0].first).dtype == dtype;
    if (inner) {
      const Poly<uint64_t> part = WholeOf(At(monomial[0].first).args[0]);
      for (const auto& [m, c] : part) {
        if (!Accumulate(reduced, m, Narrowed(dtype, c * low)))
          return Node1(kNarrow, Number::kI64, {word}, dtype);
      }
    } else {
      Accumulate(reduced, monomial, low);
    }
  }
  for (auto at = reduced.begin(); at != reduced.end();) {
    at->second = Narrowed(dtype, at->second);
    at = at->second == 0 ? reduced.erase(at) : std::next(at);
  }
  const Element polynomial = FromWhole(std::move(reduced), Number::kI64);
  if (in_range(At(polynomial)) || At(polynomial).kind == Node::kLiteral) return polynomial;
  // A truth value fits every type.
  if (At(polynomial).kind == Node::kApply && At(polynomial).code == kConvert &&
      At(At(polynomial).args[0]).number == Number::kBool)
    return polynomial;
  return Node1(kNarrow, Number::kI64, {polynomial}, dtype);
}

}  // namespace tessera::nests

// Functions of the reals that are known by more than their arguments.
#include "nests/polynomial.h"
#include "nests/terms.h"

namespace tessera::nests {

using internal::Combined;

Terms::Element Terms::Call(Function function, Element a, Element b) {
  return Apply(function, Number::kF64, {a, b});
}

// Of a number, where what it gives is a fraction.
std::optional<Terms::Element> Terms::OfConstant(Function function, Element a) {
  const std::optional<Rational> constant = ConstantOf(a);
  if (!constant.has_value()) return std::nullopt;
  const Rational& x = *constant;
  const Rational down = x.Floor(), up = x.Negated().Floor().Negated();
  switch (function) {
    case Function::kAbs:
      return FromRational(x.IsNegative() ? x.Negated() : x);
    case Function::kSign:
      return Known(x.IsZero() ? 0 : x.IsNegative() ? -1 : 1);
    case Function::kFloor:
      return FromRational(down);
    case Function::kCeil:
      return FromRational(up);
    case Function::kTrunc:
      return FromRational(x.IsNegative() ? up : down);
    case Function::kRound: {
      const Rational half = *Rational(2).Reciprocal();
      const std::optional<Rational> shifted = Add(x, half);
      if (!shifted.has_value()) return std::nullopt;
      const Rational nearest = shifted->Floor();
      const std::optional<Rational> pairs = Mul(nearest, half);
      if (!pairs.has_value()) return std::nullopt;
      const bool odd = !(pairs->Floor() == *pairs);
      const std::optional<Rational> even = odd ? Add(nearest, Rational(-1)) : nearest;
      const bool tie = *shifted == nearest;
      if (!even.has_value()) return std::nullopt;
      return FromRational(tie ? *even : nearest);
    }
    case Function::kExp:
    case Function::kCos:
      return x.IsZero() ? std::optional(Known(1)) : std::nullopt;
    case Function::kSin:
    case Function::kTanh:
    case Function::kErf:
      return x.IsZero() ? std::optional(Known(0)) : std::nullopt;
    case Function::kLog:
      return x == Rational(1) ? std::optional(Known(0)) : std::nullopt;
    case Function::kSqrt:
      return x.IsZero() || x == Rational(1) ? std::optional(a) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Terms::Element> Terms::Defined(Function function, const std::vector<Element>& args) {
  const Element x = args[0];
  const auto call = [&](Function f, Element a) { return Apply(f, Number::kF64, {a}); };
  const auto half = [&](Element e) { return Call(Function::kMul, e, Known(0.5)); };
  const auto square = [&] { return Call(Function::kMul, x, x); };
  switch (function) {
    case Function::kCosh:
    case Function::kSinh:
      return half(Call(function == Function::kCosh ? Function::kAdd : Function::kSub,
                       call(Function::kExp, x), call(Function::kExp, call(Function::kNeg, x))));
    case Function::kTan:
      return Call(Function::kDiv, call(Function::kSin, x), call(Function::kCos, x));
    case Function::kAcosh:
      return call(
          Function::kLog,
          Call(Function::kAdd, x, call(Function::kSqrt, Call(Function::kSub, square(), Known(1)))));
    case Function::kAsinh:
      // It is odd: of what is not negative alone, where nothing is cancelled.
      return Call(Function::kMul, call(Function::kSign, x),
                  call(Function::kLog,
                       Call(Function::kAdd, call(Function::kAbs, x),
                            call(Function::kSqrt, Call(Function::kAdd, square(), Known(1))))));
    case Function::kAtanh:
      return half(call(Function::kLog, Call(Function::kDiv, Call(Function::kAdd, x, Known(1)),
                                            Call(Function::kSub, Known(1), x))));
    case Function::kFmod: {
      const Element ratio = Call(Function::kDiv, x, args[1]);
      const Element whole = Call(Function::kMul, call(Function::kSign, ratio),
                                 call(Function::kFloor, call(Function::kAbs, ratio)));
      return Call(Function::kSub, x, Call(Function::kMul, args[1], whole));
    }
    case Function::kPyMod: {
      const Element whole = call(Function::kFloor, Call(Function::kDiv, x, args[1]));
      return Call(Function::kSub, x, Call(Function::kMul, args[1], whole));
    }
    case Function::kLog:
      return Logarithm(x);
    default:
      return std::nullopt;
  }
}

// Products of positive terms become sums.
std::optional<Terms::Element> Terms::Logarithm(Element a) {
  const Node& node = At(a);
  const auto is_exp = [&](Element e) {
    return At(e).kind == Node::kApply && At(e).code == static_cast<int>(Function::kExp);
  };
  if (is_exp(a)) return node.args[0];
  if (node.kind != Node::kReal || node.real.size() != 1) return std::nullopt;
  const auto [monomial, coefficient] = *node.real.begin();
  if (monomial.empty() || coefficient.IsNegative()) return std::nullopt;
  for (const auto& [atom, exponent] : monomial) {
    if (!IsPositive(atom)) return std::nullopt;
  }
  const auto log = [&](Element e) { return Apply(Function::kLog, Number::kF64, {e}); };
  Element sum = log(FromRational(coefficient));
  for (const auto& [atom, exponent] : monomial)
    sum = Call(Function::kAdd, sum, Call(Function::kMul, Known(exponent), log(atom)));
  return sum;
}

bool Terms::IsNotNegative(Element e) const {
  const Node& node = At(e);
  if (node.kind == Node::kApply && (node.code == static_cast<int>(Function::kAbs) ||
                                    node.code == static_cast<int>(Function::kSqrt)))
    return true;
  return IsPositive(e);
}

bool Terms::IsPositive(Element e) const {
  if (const std::optional<Rational> constant = ConstantOf(e))
    return !constant->IsNegative() && !constant->IsZero();
  const Node& node = At(e);
  if (node.kind == Node::kApply) return node.code == static_cast<int>(Function::kExp);
  if (node.kind != Node::kReal) return false;
  bool positive = false;
  for (const auto& [monomial, coefficient] : node.real) {
    if (coefficient.IsNegative()) return false;
    bool above = true;
    for (const auto& [atom, exponent] : monomial) {
      above = above && IsPositive(atom);
      if (exponent % 2 != 0 && !IsNotNegative(atom)) return false;
    }
    positive = positive || above;
  }
  return positive;
}

}  // namespace tessera::nests

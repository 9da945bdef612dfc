#include "nests/terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "nests/polynomial.h"

namespace tessera::nests {

using internal::Combined;
Terms::Element Terms::Intern(Node node, std::vector<int64_t> key) {
  const auto [found, fresh] = table_.try_emplace(std::move(key), static_cast<int>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return found->second;
}

Terms::Element Terms::Node1(int code, Number number, std::vector<int> args, ir::DType dtype) {
  if (Reals(number)) number = Number::kF64;  // of the reals there is one kind
  std::vector<int64_t> key = {Node::kApply, code, static_cast<int64_t>(number),
                              static_cast<int64_t>(dtype)};
  for (const int arg : args) key.push_back(arg);
  Node node;
  node.kind = Node::kApply;
  node.number = number;
  node.code = code;
  node.args = std::move(args);
  node.dtype = dtype;
  return Intern(std::move(node), std::move(key));
}

Terms::Element Terms::Input(int64_t tensor, int64_t element, ir::DType dtype) {
  Node node;
  node.kind = Node::kInput;
  node.number = NumberOf(dtype);
  node.dtype = dtype;
  node.name = absl::StrCat("x", tensor, "[", element, "]");
  return Intern(std::move(node), {Node::kInput, tensor, element, static_cast<int64_t>(dtype)});
}

Terms::Element Terms::Opaque(const std::string& function, Number number,
                             const std::vector<Element>& args) {
  std::vector<int64_t> key = {Node::kApply, kOpaque, static_cast<int64_t>(number)};
  for (const char c : function) key.push_back(c);
  key.push_back(-1);
  for (const int arg : args) key.push_back(arg);
  Node node;
  node.kind = Node::kApply;
  node.code = kOpaque;
  node.number = number;
  node.args = args;
  node.name = function;
  return Intern(std::move(node), std::move(key));
}

Terms::Element Terms::Literal(const Value& value) {
  Node node;
  node.number = value.number;
  node.literal = value;
  // Of the reals there is one number 0, whatever the float.
  if (Reals(value.number)) {
    if (theory_ == Theory::kRounded) {
      if (const std::optional<Element> simplest = Simplest(value)) return *simplest;
    }
    node.literal = Value::OfFloat(Number::kF64, value.f == 0 ? 0.0 : value.f);
    node.number = Number::kF64;
  }
  // Every NaN is one.
  if (IsFloat(node.number) && std::isnan(node.literal.f)) node.literal.f = std::nan("");
  return Intern(node, {Node::kLiteral, static_cast<int64_t>(node.number),
                       static_cast<int64_t>(node.literal.u)});
}

// Whole powers of roots of numbers are numbers.
void Terms::Reduce(Poly<Rational>& poly) const {
  for (auto at = poly.begin(); at != poly.end(); ++at) {
    for (size_t i = 0; i < at->first.size(); ++i) {
      const auto [atom, exponent] = at->first[i];
      const Node& node = At(atom);
      if (exponent == 1 || node.kind != Node::kApply ||
          node.code != static_cast<int>(Function::kSqrt))
        continue;
      const std::optional<Rational> square = ConstantOf(node.args[0]);
      if (!square.has_value() || square->IsZero()) continue;
      const int odd = exponent & 1, half = (exponent - odd) / 2;
      std::optional<Rational> factor = half < 0 ? square->Reciprocal() : square;
      std::optional<Rational> coefficient = at->second;
      for (int k = 0; k < std::abs(half) && coefficient.has_value(); ++k)
        coefficient = Mul(*coefficient, *factor);
      if (!coefficient.has_value()) continue;
      Monomial reduced = at->first;
      if (odd != 0) {
        reduced[i].second = 1;
      } else {
        reduced.erase(reduced.begin() + static_cast<std::ptrdiff_t>(i));
      }
      poly.erase(at);
      internal::Accumulate(poly, reduced, *coefficient);
      return Reduce(poly);
    }
  }
}

Terms::Element Terms::Known(double value) {
  Node node;
  node.number = Number::kF64;
  node.literal = Value::OfFloat(Number::kF64, value == 0 ? 0.0 : value);
  return Intern(node, {Node::kLiteral, static_cast<int64_t>(node.number),
                       static_cast<int64_t>(node.literal.u)});
}

std::optional<int64_t> Terms::AsIndex(Element value) const {
  const Node& node = At(value);
  if (const std::optional<Rational> real = ConstantOf(value)) {
    // Towards 0, as conversions truncate.
    const double whole = (real->IsNegative() ? real->Negated() : *real).Floor().ToDouble();
    return nests::Convert(Number::kI64,
                          Value::OfFloat(Number::kF64, real->IsNegative() ? -whole : whole))
        .i;
  }
  if (node.kind != Node::kLiteral) return std::nullopt;
  return nests::Convert(Number::kI64, node.literal).i;
}

Terms::Element Terms::Choose(Element index, int64_t at, Element entry, Element rest) {
  const Element whole = Convert(Number::kI64, index);
  const Element here = Compare(Function::kEq, whole, Literal(Value::OfInt(Number::kI64, at)));
  return Apply(Function::kSelect, At(entry).number, {here, entry, rest});
}

void Terms::Require(Element index, int64_t extent) {
  const Element whole = Convert(Number::kI64, index);
  const Element least = Compare(Function::kLe, Literal(Value::OfInt(Number::kI64, 0)), whole);
  const Element most = Compare(Function::kLt, whole, Literal(Value::OfInt(Number::kI64, extent)));
  for (const Element condition : {least, most}) {
    if (std::find(required_.begin(), required_.end(), condition) == required_.end())
      required_.push_back(condition);
  }
}

std::optional<Terms::Range> Terms::RangeOf(const Poly<uint64_t>& poly) const {
  __extension__ using Wide = __int128;
  constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  Wide least = 0, most = 0;
  for (const auto& [monomial, word] : poly) {
    const Wide coefficient = static_cast<int64_t>(word);
    Wide low = coefficient, high = coefficient;
    for (const auto& [atom, exponent] : monomial) {
      const std::optional<Range> range = RangeOf(atom);
      if (!range.has_value()) return std::nullopt;
      for (int k = 0; k < exponent; ++k) {
        const Wide ends[] = {low * range->least, low * range->most, high * range->least,
                             high * range->most};
        low = *std::min_element(std::begin(ends), std::end(ends));
        high = *std::max_element(std::begin(ends), std::end(ends));
        if (low < kLeast || high > kMost) return std::nullopt;
      }
    }
    least += low;
    most += high;
    if (least < kLeast || most > kMost) return std::nullopt;
  }
  return Range{static_cast<int64_t>(least), static_cast<int64_t>(most)};
}

std::optional<Terms::Range> Terms::RangeOf(Element e) const {
  const Node& node = At(e);
  if (node.number == Number::kBool) return Range{0, 1};
  if (node.number != Number::kI64) return std::nullopt;
  if (node.kind == Node::kLiteral) return Range{node.literal.i, node.literal.i};
  if (node.kind == Node::kWhole) return RangeOf(node.whole);
  const bool narrowed = node.kind == Node::kApply && node.code == kNarrow;
  if (node.kind == Node::kInput || narrowed) {
    const size_t bits = 8 * ir::SizeOf(node.dtype);
    if (node.dtype == ir::DType::kBool) return Range{0, 1};
    if (bits == 64) return std::nullopt;
    if (!ir::Contains(ir::kSignedIntTypes, node.dtype)) return Range{0, (int64_t{1} << bits) - 1};
    return Range{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  }
  if (node.kind != Node::kApply) return std::nullopt;
  if (node.code == kConvert && At(node.args[0]).number == Number::kBool) return Range{0, 1};
  const bool select = node.code == static_cast<int>(Function::kSelect);
  if (!select && node.code != static_cast<int>(Function::kMin) &&
      node.code != static_cast<int>(Function::kMax))
    return std::nullopt;
  std::optional<Range> hull;
  for (size_t i = select ? 1 : 0; i < node.args.size(); ++i) {
    const std::optional<Range> range = RangeOf(node.args[i]);
    if (!range.has_value()) return std::nullopt;
    if (!hull.has_value()) hull = range;
    hull = Range{std::min(hull->least, range->least), std::max(hull->most, range->most)};
  }
  return hull;
}

bool Terms::Is(Element e, double value) const {
  const Node& node = At(e);
  return node.kind == Node::kLiteral && IsFloat(node.number) &&
         node.literal.u == Value::OfFloat(node.number, value).u;
}

Terms::Poly<Rational> Terms::RealOf(Element e) const {
  const Node& node = At(e);
  if (node.kind == Node::kReal) return node.real;
  if (node.kind == Node::kLiteral) {
    if (const auto rational = Rational::Of(node.literal.f)) {
      if (rational->IsZero()) return {};
      return {{{}, *rational}};
    }
  }
  return {{{{e, 1}}, Rational(1)}};
}

Terms::Poly<uint64_t> Terms::WholeOf(Element e) const {
  const Node& node = At(e);
  if (node.kind == Node::kWhole) return node.whole;
  if (node.kind == Node::kLiteral) {
    if (node.literal.u == 0) return {};
    return {{{}, node.literal.u}};
  }
  return {{{{e, 1}}, uint64_t{1}}};
}

Terms::Poly<Rational> Terms::Constant(const Rational& value) {
  return value.IsZero() ? Poly<Rational>() : Poly<Rational>{{{}, value}};
}

std::optional<Rational> Terms::ConstantOf(Element e) const {
  const Node& node = At(e);
  if (node.kind == Node::kLiteral && IsFloat(node.number)) return Rational::Of(node.literal.f);
  if (node.kind != Node::kReal || node.real.size() != 1 || !node.real.begin()->first.empty())
    return std::nullopt;
  return node.real.begin()->second;
}

std::optional<Terms::Element> Terms::Simplest(const Value& value) {
  constexpr int64_t kMost = 4096, kMostRoot = 64;
  if (!std::isfinite(value.f) || value.f == 0) return std::nullopt;
  const auto is = [&](double v) {
    return value.number == Number::kF32 ? static_cast<float>(v) == static_cast<float>(value.f)
                                        : v == value.f;
  };
  const double square = value.f * value.f;
  for (int64_t q = 1; q <= kMost && std::abs(value.f) * static_cast<double>(q * q) <= kMost * 2;
       ++q) {
    const auto p = std::llround(value.f * static_cast<double>(q));
    if (p == 0 || std::abs(p) * q > kMost) continue;
    if (!is(static_cast<double>(p) / static_cast<double>(q))) continue;
    const auto inverse = Rational(q).Reciprocal();
    const auto ratio = inverse.has_value() ? Mul(Rational(p), *inverse) : std::nullopt;
    if (ratio.has_value()) return FromRational(*ratio);
  }
  for (int64_t q = 1; q <= kMostRoot && square * static_cast<double>(q * q) <= kMostRoot * 2; ++q) {
    const auto p = std::llround(square * static_cast<double>(q));
    if (p == 0 || p * q > kMostRoot) continue;
    const double root = std::sqrt(static_cast<double>(p) / static_cast<double>(q));
    if (!is(value.f < 0 ? -root : root)) continue;
    // sqrt(p / q) = sqrt(p * q) / q
    const Element radicand = FromRational(Rational(p * q));
    const auto factor = Rational(value.f < 0 ? -q : q).Reciprocal();
    const Element unit = Unary(Function::kSqrt, Number::kF64, radicand);
    const auto scaled = factor.has_value()
                            ? Combined(Function::kMul, RealOf(unit), Constant(*factor))
                            : std::nullopt;
    if (scaled.has_value()) return FromReal(*scaled);
  }
  return std::nullopt;
}

Terms::Element Terms::FromReal(Poly<Rational> poly) {
  Reduce(poly);
  if (poly.empty()) return Known(0);
  if (poly.size() == 1) {
    const auto& [monomial, coefficient] = *poly.begin();
    if (monomial.size() == 1 && monomial[0].second == 1 && coefficient == Rational(1))
      return monomial[0].first;
    // A number that is a float has one form.
    const auto same = Rational::Of(coefficient.ToDouble());
    if (monomial.empty() && same.has_value() && *same == coefficient)
      return Known(coefficient.ToDouble());
  }
  std::vector<int64_t> key = {Node::kReal};
  for (const auto& [monomial, coefficient] : poly) {
    coefficient.AppendTo(key);
    key.push_back(static_cast<int64_t>(monomial.size()));
    for (const auto& [atom, exponent] : monomial) {
      key.push_back(atom);
      key.push_back(exponent);
    }
  }
  Node node;
  node.kind = Node::kReal;
  node.number = Number::kF64;
  node.real = std::move(poly);
  return Intern(std::move(node), std::move(key));
}

Terms::Element Terms::FromWhole(Poly<uint64_t> poly, Number number) {
  if (poly.empty() || (poly.size() == 1 && poly.begin()->first.empty())) {
    Value value = Value::OfUnsigned(poly.empty() ? 0 : poly.begin()->second);
    value.number = number;
    return Literal(value);
  }
  if (poly.size() == 1) {
    const auto& [monomial, coefficient] = *poly.begin();
    if (monomial.size() == 1 && monomial[0].second == 1 && coefficient == 1 &&
        At(monomial[0].first).number == number)
      return monomial[0].first;
  }
  std::vector<int64_t> key = {Node::kWhole, static_cast<int64_t>(number)};
  for (const auto& [monomial, coefficient] : poly) {
    key.push_back(static_cast<int64_t>(coefficient));
    key.push_back(static_cast<int64_t>(monomial.size()));
    for (const auto& [atom, exponent] : monomial) {
      key.push_back(atom);
      key.push_back(exponent);
    }
  }
  Node node;
  node.kind = Node::kWhole;
  node.number = number;
  node.whole = std::move(poly);
  return Intern(std::move(node), std::move(key));
}

std::optional<Terms::Element> Terms::Inverse(Element e) {
  const Poly<Rational> poly = RealOf(e);
  if (poly.size() != 1) {
    if (poly.empty()) return std::nullopt;
    // A sum as one atom, whose leading coefficient is 1.
    const auto leading = poly.begin()->second.Reciprocal();
    if (!leading.has_value()) return std::nullopt;
    const auto monic = Combined(Function::kMul, poly, Poly<Rational>{{{}, *leading}});
    if (!monic.has_value()) return std::nullopt;
    return FromReal({{{{FromReal(*monic), -1}}, *leading}});
  }
  Monomial monomial = poly.begin()->first;
  for (auto& [atom, exponent] : monomial) exponent = -exponent;
  const auto coefficient = poly.begin()->second.Reciprocal();
  if (!coefficient.has_value()) return std::nullopt;
  return FromReal({{monomial, *coefficient}});
}

// Whether a divisor that may be 0 would vanish from the product: 0 / 0 is not 1.
bool Terms::Cancels(const Poly<Rational>& a, const Poly<Rational>& b) const {
  std::map<int, int> sides;  // atoms: 1 where a factor, 2 where a divisor
  for (const Poly<Rational>* poly : {&a, &b}) {
    for (const auto& [monomial, coefficient] : *poly) {
      for (const auto& [atom, exponent] : monomial) sides[atom] |= exponent > 0 ? 1 : 2;
    }
  }
  return std::any_of(sides.begin(), sides.end(),
                     [&](const auto& side) { return side.second == 3 && !IsPositive(side.first); });
}

// + - * / and neg of polynomials; none: not one of these, or too large.
std::optional<Terms::Element> Terms::Arithmetic(Function function, Number number,
                                                const std::vector<Element>& args) {
  if (function == Function::kNeg) {
    const Element zero = Literal(nests::Convert(number, Value::OfInt(Number::kI64, 0)));
    return Arithmetic(Function::kSub, number, {zero, args[0]});
  }
  if (Reals(number) && function == Function::kDiv) {
    const std::optional<Element> inverse = Inverse(args[1]);
    if (!inverse.has_value()) return std::nullopt;
    return Arithmetic(Function::kMul, number, {args[0], *inverse});
  }
  if (function != Function::kAdd && function != Function::kSub && function != Function::kMul)
    return std::nullopt;
  if (Reals(number)) {
    if (function == Function::kMul && Cancels(RealOf(args[0]), RealOf(args[1])))
      return std::nullopt;
    const auto poly = Combined(function, RealOf(args[0]), RealOf(args[1]));
    return poly.has_value() ? std::optional(FromReal(*poly)) : std::nullopt;
  }
  if (number != Number::kI64 && number != Number::kU64) return std::nullopt;
  const auto poly = Combined(function, WholeOf(args[0]), WholeOf(args[1]));
  return poly.has_value() ? std::optional(FromWhole(*poly, number)) : std::nullopt;
}

}  // namespace tessera::nests

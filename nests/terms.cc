#include "nests/terms.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::nests {
namespace {

constexpr size_t kMostTerms = 4096;  // of one polynomial

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

int BitsOf(ir::DType dtype) { return static_cast<int>(8 * ir::SizeOf(dtype)); }

// The low bits of a word, as a two's complement or unsigned number of that width.
uint64_t Narrowed(ir::DType dtype, uint64_t word) {
  const int bits = BitsOf(dtype);
  if (bits == 64) return word;
  const uint64_t low = word & ((uint64_t{1} << bits) - 1);
  const bool is_signed = ir::Contains(ir::kSignedIntTypes, dtype);
  return is_signed && (low >> (bits - 1)) != 0 ? low | ~((uint64_t{1} << bits) - 1) : low;
}

}  // namespace

Terms::Element Terms::Intern(Node node, std::vector<int64_t> key) {
  const auto [found, fresh] = table_.try_emplace(std::move(key), static_cast<int>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return found->second;
}

Terms::Element Terms::Node1(int code, Number number, std::vector<int> args, ir::DType dtype) {
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
    node.literal = Value::OfFloat(Number::kF64, value.f == 0 ? 0.0 : value.f);
    node.number = Number::kF64;
  }
  // Every NaN is one.
  if (IsFloat(node.number) && std::isnan(node.literal.f)) node.literal.f = std::nan("");
  return Intern(node, {Node::kLiteral, static_cast<int64_t>(node.number),
                       static_cast<int64_t>(node.literal.u)});
}

std::optional<int64_t> Terms::AsIndex(Element value) const {
  const Node& node = At(value);
  if (node.kind != Node::kLiteral) return std::nullopt;
  return nests::Convert(Number::kI64, node.literal).i;
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

Terms::Element Terms::FromReal(const Poly<Rational>& poly, Number) {
  if (poly.empty()) return Literal(Value::OfFloat(Number::kF64, 0));
  if (poly.size() == 1) {
    const auto& [monomial, coefficient] = *poly.begin();
    if (monomial.size() == 1 && monomial[0].second == 1 && coefficient == Rational(1))
      return monomial[0].first;
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
  node.real = poly;
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

namespace {

template <class Monomial>
Monomial Product(const Monomial& a, const Monomial& b) {
  Monomial product;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
      product.push_back(a[i++]);
    } else if (i == a.size() || b[j].first < a[i].first) {
      product.push_back(b[j++]);
    } else {
      const int exponent = a[i].second + b[j].second;
      if (exponent != 0) product.emplace_back(a[i].first, exponent);
      ++i;
      ++j;
    }
  }
  return product;
}

std::optional<uint64_t> Add(uint64_t a, uint64_t b) { return a + b; }
std::optional<uint64_t> Mul(uint64_t a, uint64_t b) { return a * b; }
bool IsZero(uint64_t v) { return v == 0; }
bool IsZero(const Rational& v) { return v.IsZero(); }

template <class Poly, class Monomial, class C>
bool Accumulate(Poly& poly, const Monomial& monomial, const C& coefficient) {
  auto [found, fresh] = poly.try_emplace(monomial, coefficient);
  if (!fresh) {
    const auto sum = Add(found->second, coefficient);
    if (!sum.has_value()) return false;
    found->second = *sum;
  }
  if (IsZero(found->second)) poly.erase(found);
  return poly.size() <= kMostTerms;
}

// None: too large, or a coefficient needs too many bits.
template <class Poly>
std::optional<Poly> Combined(Function function, const Poly& a, const Poly& b) {
  Poly result;
  if (function == Function::kMul) {
    for (const auto& [m, c] : a) {
      for (const auto& [n, d] : b) {
        const auto product = Mul(c, d);
        if (!product.has_value() || !Accumulate(result, Product(m, n), *product))
          return std::nullopt;
      }
    }
    return result;
  }
  result = a;
  for (const auto& [monomial, coefficient] : b) {
    typename Poly::mapped_type signed_coefficient = coefficient;
    if (function == Function::kSub) {
      const auto negated = Mul(coefficient, typename Poly::mapped_type(-1));
      if (!negated.has_value()) return std::nullopt;
      signed_coefficient = *negated;
    }
    if (!Accumulate(result, monomial, signed_coefficient)) return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<Terms::Element> Terms::Inverse(Element e) {
  const Poly<Rational> poly = RealOf(e);
  if (poly.size() != 1) {
    if (poly.empty()) return std::nullopt;
    // A sum as one atom, whose leading coefficient is 1.
    const auto leading = poly.begin()->second.Reciprocal();
    if (!leading.has_value()) return std::nullopt;
    const auto monic = Combined(Function::kMul, poly, Poly<Rational>{{{}, *leading}});
    if (!monic.has_value()) return std::nullopt;
    return FromReal({{{{FromReal(*monic, Number::kF64), -1}}, *leading}}, Number::kF64);
  }
  Monomial monomial = poly.begin()->first;
  for (auto& [atom, exponent] : monomial) exponent = -exponent;
  const auto coefficient = poly.begin()->second.Reciprocal();
  if (!coefficient.has_value()) return std::nullopt;
  return FromReal({{monomial, *coefficient}}, Number::kF64);
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
    const auto poly = Combined(function, RealOf(args[0]), RealOf(args[1]));
    return poly.has_value() ? std::optional(FromReal(*poly, number)) : std::nullopt;
  }
  if (number != Number::kI64 && number != Number::kU64) return std::nullopt;
  const auto poly = Combined(function, WholeOf(args[0]), WholeOf(args[1]));
  return poly.has_value() ? std::optional(FromWhole(*poly, number)) : std::nullopt;
}

// min and max as sets.
Terms::Element Terms::Extreme(Function function, Number number, const std::vector<Element>& args) {
  std::vector<int> members;
  std::optional<Value> limit;
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
    if (node.kind != Node::kLiteral) {
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
    if (others.empty() || !identity) others.push_back(Literal(*limit));
  }
  return others.size() == 1 ? others[0] : Node1(static_cast<int>(function), number, others);
}

Terms::Element Terms::Compare(Function function, Element a, Element b) {
  if (function == Function::kGt) return Compare(Function::kLt, b, a);
  if (function == Function::kGe) return Compare(Function::kLe, b, a);
  if (function == Function::kNe)
    return Apply(Function::kNot, Number::kBool, {Compare(Function::kEq, a, b)});
  const Number number = At(a).number;
  if (a == b && (Reals(number) || !IsFloat(number)))
    return Literal(Value::OfInt(Number::kBool, function != Function::kLt ? 1 : 0));
  if (Reals(number)) {
    const std::optional<Element> difference = Arithmetic(Function::kSub, number, {a, b});
    if (difference.has_value()) {
      const Node& node = At(*difference);
      if (node.kind == Node::kLiteral) {
        const double d = node.literal.f;
        const bool holds = function == Function::kLt   ? d < 0
                           : function == Function::kLe ? d <= 0
                                                       : d == 0;
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
                     Number::kBool, {FromReal(*monic, number)});
    }
  }
  if (function == Function::kEq && b < a) std::swap(a, b);
  return Node1(static_cast<int>(function), Number::kBool, {a, b});
}

Terms::Element Terms::Unary(Function function, Number number, Element a) {
  const Node& node = At(a);
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
  if (Reals(of) && function == Function::kPow && At(args[1]).kind == Node::kLiteral) {
    const double exponent = At(args[1]).literal.f;
    if (exponent == 1) return args[0];
    if (exponent == 2) return Apply(Function::kMul, number, {args[0], args[0]});
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
  if (node.kind == Node::kLiteral) return Literal(nests::Convert(number, node.literal));
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
  if (dtype == ir::DType::kF16 || dtype == ir::DType::kBF16) {
    const Element single = Convert(number, value);
    if (theory_ == Theory::kReals) return single;
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

std::string Terms::Text(Element value, int depth) const {
  const Node& node = At(value);
  if (depth == 0) return "...";
  const auto poly = [&](const auto& terms, auto text) {
    std::vector<std::string> parts;
    for (const auto& [monomial, coefficient] : terms) {
      std::string part = text(coefficient);
      for (const auto& [atom, exponent] : monomial)
        absl::StrAppend(&part, "*", Text(atom, depth - 1),
                        exponent == 1 ? "" : absl::StrCat("^", exponent));
      parts.push_back(part);
      if (parts.size() == 8) {
        parts.push_back("...");
        break;
      }
    }
    return absl::StrCat("(", absl::StrJoin(parts, " + "), ")");
  };
  switch (node.kind) {
    case Node::kLiteral:
      return ToString(node.literal);
    case Node::kInput:
      return node.name;
    case Node::kReal:
      return poly(node.real, [](const Rational& c) { return c.ToString(); });
    case Node::kWhole:
      return poly(node.whole, [](uint64_t c) { return absl::StrCat(static_cast<int64_t>(c)); });
    case Node::kApply:
      break;
  }
  std::vector<std::string> args;
  for (const int arg : node.args) args.push_back(Text(arg, depth - 1));
  const std::string name = node.code == kOpaque       ? node.name
                           : node.code == kConvert    ? std::string(NameOf(node.number))
                           : node.code == kNarrow     ? std::string(ir::NameOf(node.dtype))
                           : node.code == kBelowZero  ? "0 > "
                           : node.code == kAtMostZero ? "0 >= "
                           : node.code == kIsZero
                               ? "0 == "
                               : std::string(NameOf(static_cast<Function>(node.code)));
  return absl::StrCat(name, "(", absl::StrJoin(args, ", "), ")");
}

}  // namespace tessera::nests

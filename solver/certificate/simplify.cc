#include "solver/certificate/simplify.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "solver/certificate/atom.h"
#include "solver/certificate/polynomial.h"
#include "solver/certificate/range.h"
#include "solver/certificate/unknowns.h"

namespace tessera::certificate {
namespace {

constexpr size_t kMostTerms = 2000;

class Simplifier {
 public:
  Simplifier(const Problem& problem, const Claim& claim, const std::optional<Remainder>& of)
      : problem_(problem), claim_(claim), of_(of) {}

  std::optional<Claim> Run() {
    const Statement& statement = claim_.statement;
    for (uint32_t i = 0; i <= statement.root; ++i) {
      std::optional<Value> value = ValueOf(statement.terms[i]);
      if (!value) return std::nullopt;
      values_.push_back(*std::move(value));
    }
    const Value& root = values_.back();
    if (!root.defined) return std::nullopt;
    result_.root = Write(root.polynomial);
    Claim claim{std::move(result_), {}};
    for (const int64_t symbol : symbols_) {
      claim.statement.symbols.push_back(statement.symbols[static_cast<size_t>(symbol)]);
      claim.symbols.push_back(claim_.symbols[static_cast<size_t>(symbol)]);
    }
    return claim;
  }

 private:
  struct Value {
    Polynomial polynomial;
    bool defined = true;  // for all sizes
  };
  using Maybe = std::optional<Polynomial>;

  Range RangeOf(const Polynomial& polynomial) const {
    Range range = unknowns_.RangeOf(polynomial);
    if (const auto it = known_.find(polynomial); it != known_.end()) {
      range.low = std::max(range.low, it->second.low);
      range.high = std::min(range.high, it->second.high);
    }
    return range;
  }
  // What operands say of a result, which may not be seen any more once it is multiplied out.
  void Know(const Polynomial& polynomial, const Range& range) {
    const Range before = unknowns_.RangeOf(polynomial);
    if (range.low <= before.low && range.high >= before.high) return;
    Range& known = known_.try_emplace(polynomial, range).first->second;
    known.low = std::max(known.low, range.low);
    known.high = std::min(known.high, range.high);
  }
  Polynomial Unknown(Atom atom, const Range& range) {
    if (range.low == range.high) return Polynomial::Number(range.low);
    return unknowns_.Number(std::move(atom), range);
  }
  static Polynomial Truth(bool holds) { return Polynomial::Number(holds ? 1 : 0); }

  // Nothing: too large.
  std::optional<Value> ValueOf(const Term& term) {
    const auto value = [&](int i) -> const Value& { return values_[term.operands[i]]; };
    Value result;
    Maybe polynomial;
    if (term.op == Operator::kIte || term.op == Operator::kAnd || term.op == Operator::kOr) {
      const std::optional<bool> first = Decided(value(0).polynomial);
      const bool is_ite = term.op == Operator::kIte;
      result.defined = value(0).defined;
      if (first && (is_ite || *first == (term.op == Operator::kOr))) {
        const Value& taken = value(*first ? 1 : 2);
        result.polynomial = is_ite ? taken.polynomial : Truth(*first);
        result.defined = result.defined && (!is_ite || taken.defined);
        return result;
      }
      for (int i = 1; i < Arity(term.op); ++i) result.defined = result.defined && value(i).defined;
      if (is_ite) {
        const Range a = RangeOf(value(1).polynomial), b = RangeOf(value(2).polynomial);
        result.polynomial = value(1).polynomial == value(2).polynomial
                                ? value(1).polynomial
                                : Unknown({term.op, 0, Operands(term)},
                                          {std::min(a.low, b.low), std::max(a.high, b.high)});
        return result;
      }
      const std::optional<bool> second = Decided(value(1).polynomial);
      if (first || (second && *second == (term.op == Operator::kOr))) {
        // What is left is the second one, as a truth value.
        result.polynomial = second ? Truth(*second) : Compared(Operator::kNe, value(1).polynomial);
      } else if (second) {
        result.polynomial = Compared(Operator::kNe, value(0).polynomial);
      } else if (term.op == Operator::kOr &&
                 unknowns_.OneHolds(value(0).polynomial, value(1).polynomial)) {
        result.polynomial = Truth(true);
      } else {
        result.polynomial = Unknown({term.op, 0, Operands(term)}, {0, 1});
      }
      return result;
    }
    for (int i = 0; i < Arity(term.op); ++i) result.defined = result.defined && value(i).defined;
    const auto operand = [&](int i) -> const Polynomial& { return value(i).polynomial; };
    switch (term.op) {
      case Operator::kInteger:
        polynomial = Polynomial::Number(term.value);
        break;
      case Operator::kSymbol: {
        const uint32_t index = claim_.symbols[static_cast<size_t>(term.value)];
        const DeclaredSymbol& symbol = problem_.symbols()[index];
        Range range;
        if (symbol.lo) range.low = *symbol.lo;
        if (symbol.hi) range.high = *symbol.hi;
        polynomial = of_ && of_->symbol == index
                         ? Symbol(term.value, range, of_->stride, of_->residue)
                         : Symbol(term.value, range, symbol.stride, symbol.residue);
        break;
      }
      case Operator::kAdd:
        polynomial = operand(0).Plus(operand(1));
        break;
      case Operator::kSubtract:
        polynomial = operand(0).Plus(operand(1), -1);
        break;
      case Operator::kNegate:
        polynomial = Polynomial().Plus(operand(0), -1);
        break;
      case Operator::kMultiply:
        polynomial = operand(0).Times(operand(1));
        if (polynomial) Know(*polynomial, RangeOf(operand(0)) * RangeOf(operand(1)));
        break;
      case Operator::kNot:
        polynomial = Compared(Operator::kEq, operand(0));
        break;
      case Operator::kFloorDiv:
      case Operator::kCeilDiv:
      case Operator::kMod:
      case Operator::kTruncDiv:
        // The others could hide that it is not defined.
        if (RangeOf(operand(1)).low < 1 && IsAbove(operand(1), Polynomial()))
          Know(operand(1), {1, kInfinity});
        if (RangeOf(operand(1)).low < 1) return Value{Polynomial(), false};
        polynomial = Divided(term.op, operand(0), operand(1));
        if (polynomial && term.op == Operator::kFloorDiv)
          Know(*polynomial, FloorOf(RangeOf(operand(0)), RangeOf(operand(1))));
        if (polynomial && term.op == Operator::kMod)
          Know(*polynomial, {0, Sum(RangeOf(operand(1)).high, -1, kInfinity)});
        break;
      case Operator::kMin:
      case Operator::kMax:
        polynomial = Extreme(term, operand(0), operand(1));
        break;
      case Operator::kAbs: {
        const Range range = RangeOf(operand(0));
        const Maybe negated = Polynomial().Plus(operand(0), -1);
        polynomial = range.low >= 0    ? operand(0)
                     : range.high <= 0 ? negated
                                       : Maybe(Unknown({term.op, 0, Operands(term)},
                                                       {0, std::max(-range.low, range.high)}));
        break;
      }
      default: {
        const Maybe difference = operand(0).Plus(operand(1), -1);
        if (difference) polynomial = Compared(term.op, *difference);
      }
    }
    if (!polynomial) return std::nullopt;
    result.polynomial = *std::move(polynomial);
    return result;
  }

  std::vector<Polynomial> Operands(const Term& term) const {
    std::vector<Polynomial> operands;
    for (int i = 0; i < Arity(term.op); ++i)
      operands.push_back(values_[term.operands[static_cast<size_t>(i)]].polynomial);
    return operands;
  }

  // Whether it is 0 for no size, or for all.
  std::optional<bool> Decided(const Polynomial& polynomial) const {
    const Range range = RangeOf(polynomial);
    if (range.low > 0 || range.high < 0) return true;
    return range.low == 0 && range.high == 0 ? std::optional(false) : std::nullopt;
  }

  bool IsAtLeast(const Polynomial& a, const Polynomial& b) const {
    const Maybe difference = a.Plus(b, -1);
    return difference && unknowns_.IsNeverNegative(*difference);
  }
  bool IsAbove(const Polynomial& a, const Polynomial& b) const {
    const Maybe next = b.Plus(Polynomial::Number(1));
    return next && IsAtLeast(a, *next);
  }

  // How it compares with 0.
  Polynomial Compared(Operator op, const Polynomial& polynomial) {
    const Range range = RangeOf(polynomial);
    switch (op) {
      case Operator::kEq:
      case Operator::kNe:
        if (const std::optional<bool> decided = Decided(polynomial))
          return Truth(*decided == (op == Operator::kNe));
        if (IsAbove(polynomial, Polynomial()) || IsAbove(Polynomial(), polynomial))
          return Truth(op == Operator::kNe);
        break;
      case Operator::kLt:
      case Operator::kGe:
        if (range.low >= 0 || range.high < 0)
          return Truth((range.low >= 0) == (op == Operator::kGe));
        if (unknowns_.IsNeverNegative(polynomial)) return Truth(op == Operator::kGe);
        break;
      default:
        if (range.low > 0 || range.high <= 0)
          return Truth((range.low > 0) == (op == Operator::kGt));
        if (IsAtLeast(Polynomial(), polynomial)) return Truth(op == Operator::kLe);
    }
    return Unknown({op, 0, {polynomial, Polynomial()}}, {0, 1});
  }

  Maybe Extreme(const Term& term, const Polynomial& a, const Polynomial& b) {
    const Maybe difference = a.Plus(b, -1);
    if (!difference) return std::nullopt;
    const bool is_max = term.op == Operator::kMax;
    const Range range = RangeOf(*difference), x = RangeOf(a), y = RangeOf(b);
    if (range.low >= 0 || IsAtLeast(a, b)) return is_max ? a : b;
    if (range.high <= 0 || IsAtLeast(b, a)) return is_max ? b : a;
    const auto pick = [&](Wide p, Wide q) { return is_max ? std::max(p, q) : std::min(p, q); };
    const Range of_result{pick(x.low, y.low), pick(x.high, y.high)};
    // As one of several ways to say it, min(L - 8, 0) + 8 for min(L, 8): the operands in their
    // order but for what is constant in them, and nothing of it in the first.
    const Wide in_a = ConstantOf(a), in_b = ConstantOf(b);
    Maybe first = a.Plus(Polynomial::Number(in_a), -1);
    Maybe second = b.Plus(Polynomial::Number(in_b), -1);
    if (!first || !second) return std::nullopt;
    const bool in_order = *first < *second;
    if (!in_order) std::swap(first, second);
    const Wide shift = in_order ? in_a : in_b, rest = in_order ? in_b : in_a;
    second = second->Plus(Polynomial::Number(rest - shift));
    if (!second) return std::nullopt;
    const Maybe extreme =
        Unknown({term.op, 0, {*first, *second}}, of_result + Range{-shift, -shift})
            .Plus(Polynomial::Number(shift));
    if (extreme) Know(*extreme, of_result);
    return extreme;
  }

  static Wide ConstantOf(const Polynomial& polynomial) {
    const auto constant = polynomial.summands().find({});
    return constant == polynomial.summands().end() ? 0 : constant->second;
  }

  // One that has a remainder of its own is a multiple of a smaller one.
  Maybe Symbol(int64_t symbol, const Range& range, int64_t stride, int64_t residue) {
    const Polynomial whole = Unknown({Operator::kSymbol, symbol, {}}, range);
    if (stride < 2 || whole.AsNumber()) return whole;
    const Polynomial times = Unknown({Operator::kFloorDiv, 0, {whole, Polynomial::Number(stride)}},
                                     FloorOf(range, {stride, stride}));
    return Polynomial::Number((residue % stride + stride) % stride).Plus(times, stride);
  }

  // By a divisor that is at least 1.
  Maybe Divided(Operator op, const Polynomial& a, const Polynomial& b) {
    if (op == Operator::kTruncDiv && RangeOf(a).low < 0) {
      const Range range = RangeOf(a);
      const Wide most = std::max(-range.low, range.high);
      return Unknown({op, 0, {a, b}}, {-most, most});
    }
    Maybe dividend = a;
    if (op == Operator::kCeilDiv) {  // ceil(a/b) = floor((a + b - 1)/b)
      dividend = a.Plus(b);
      if (dividend) dividend = dividend->Plus(Polynomial::Number(1), -1);
    }
    if (!dividend) return std::nullopt;
    const Maybe floor = FloorDivided(*dividend, b);
    if (op != Operator::kMod || !floor) return floor;
    const Maybe whole = floor->Times(b);
    return whole ? a.Plus(*whole, -1) : std::nullopt;
  }

  // floor((quotient*b + remainder)/b) = quotient + floor(remainder/b)
  Maybe FloorDivided(const Polynomial& a, const Polynomial& b) {
    auto parts = a.DividedBy(b);
    if (!parts) return std::nullopt;
    auto& [quotient, remainder] = *parts;
    if (const std::optional<Wide> number = b.AsNumber()) {
      // As little as can be is left of each summand, the constant one at least 0.
      const Polynomial rest = remainder;
      for (const auto& [monomial, coefficient] : rest.summands()) {
        if (monomial.empty() || 2 * coefficient <= *number) continue;
        Maybe one = Polynomial::Number(1);
        for (const uint32_t unknown : monomial)
          if (one) one = one->Times(Polynomial::Unknown(unknown));
        const Maybe more = one ? quotient.Plus(*one) : std::nullopt;
        const Maybe less = one ? remainder.Plus(*one, -*number) : std::nullopt;
        if (!more || !less) return std::nullopt;
        quotient = *more;
        remainder = *less;
      }
    }
    const Maybe fraction = Floored(remainder, b);
    return fraction ? quotient.Plus(*fraction) : std::nullopt;
  }

  // floor(a/b) of what b does not divide, as one of several ways to say it: for integers,
  // floor(-a/b) = -1 - floor((a - 1)/b) and floor((a + 1)/2) = a - floor(a/2).
  Maybe Floored(const Polynomial& a, const Polynomial& b) {
    const Range rest = RangeOf(a), by = RangeOf(b);
    if (rest.low >= 0 && rest.high < by.low) return Polynomial();
    if (rest.high < 0 && rest.low >= -by.low) return Polynomial::Number(-1);
    const auto last = a.summands().rbegin();
    if (last != a.summands().rend() && !last->first.empty() && last->second < 0) {
      const Maybe opposite = Polynomial::Number(-1).Plus(a, -1);
      const Maybe floor = opposite ? FloorDivided(*opposite, b) : std::nullopt;
      return floor ? Polynomial::Number(-1).Plus(*floor, -1) : std::nullopt;
    }
    const auto constant = a.summands().find({});
    if (b.AsNumber() == 2 && constant != a.summands().end()) {
      const Maybe even = a.Plus(Polynomial::Number(1), -1);
      const Maybe half = even ? Floored(*even, b) : std::nullopt;
      return half ? even->Plus(*half, -1) : std::nullopt;
    }
    return Unknown({Operator::kFloorDiv, 0, {a, b}}, FloorOf(rest, by));
  }

  // Terms of the result.
  uint32_t Put(const Term& term) {
    const auto key = std::pair(std::pair(term.op, term.value), term.operands);
    const auto [it, fresh] = places_.try_emplace(key, static_cast<uint32_t>(result_.terms.size()));
    if (fresh) result_.terms.push_back(term);
    return it->second;
  }
  uint32_t Write(const Polynomial& polynomial) {
    std::optional<uint32_t> sum;
    for (const auto& [monomial, coefficient] : polynomial.summands()) {
      std::optional<uint32_t> product;
      const auto factor = [&](uint32_t next) {
        product = product ? Put({Operator::kMultiply, {*product, next, 0}, 0}) : next;
      };
      // Coefficients are below 2^60.
      if (coefficient != 1 || monomial.empty())
        factor(Put({Operator::kInteger, {}, static_cast<int64_t>(coefficient)}));
      for (const uint32_t unknown : monomial) factor(Write(unknowns_[unknown]));
      sum = sum ? Put({Operator::kAdd, {*sum, *product, 0}, 0}) : *product;
    }
    return sum ? *sum : Put({Operator::kInteger, {}, 0});
  }
  uint32_t Write(const Atom& atom) {
    Term term{atom.op, {}, 0};
    if (atom.op == Operator::kSymbol) {
      const auto it = std::find(symbols_.begin(), symbols_.end(), atom.symbol);
      term.value = it - symbols_.begin();
      if (it == symbols_.end()) symbols_.push_back(atom.symbol);
    }
    for (size_t i = 0; i < atom.operands.size(); ++i) term.operands[i] = Write(atom.operands[i]);
    return Put(term);
  }

  const Problem& problem_;
  const Claim& claim_;
  const std::optional<Remainder>& of_;
  std::vector<Value> values_;  // of the claim's terms
  Unknowns unknowns_;
  std::map<Polynomial, Range> known_;
  Statement result_;
  std::vector<int64_t> symbols_;  // of the result: those of the claim
  std::map<std::pair<std::pair<Operator, int64_t>, std::array<uint32_t, 3>>, uint32_t> places_;
};

}  // namespace

std::optional<Claim> Simplified(const Problem& problem, const Claim& claim,
                                const std::optional<Remainder>& of) {
  if (claim.statement.terms.size() > kMostTerms) return std::nullopt;
  return Simplifier(problem, claim, of).Run();
}

bool IsTrue(const Claim& simplified) {
  const Term& root = simplified.statement.terms[simplified.statement.root];
  return root.op == Operator::kInteger && root.value != 0;
}

}  // namespace tessera::certificate

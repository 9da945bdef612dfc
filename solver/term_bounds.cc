#include "solver/term_bounds.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "solver/bounds.h"

namespace tessera::solver::internal {
namespace {

// How many operations above what is assumed are looked at again, and how many of `&&` and `||`
// within each other.
constexpr int kMostAgain = 64;
constexpr int kMostNested = 64;

Range Negated(Range r) { return ScaleRange(r, -1); }

std::optional<bool> TruthOf(Range r) {
  if (r.lo > 0 || r.hi < 0) return true;
  if (r.lo == 0 && r.hi == 0) return false;
  return std::nullopt;
}
Range RangeOfTruth(std::optional<bool> truth) {
  return truth ? Range{*truth, *truth} : Range{0, 1};
}
std::optional<bool> Opposite(std::optional<bool> truth) {
  return truth ? std::optional(!*truth) : std::nullopt;
}

std::optional<bool> Equal(Range a, Range b) {
  if (a.lo > b.hi || b.lo > a.hi) return false;
  if (a.lo == a.hi && b.lo == b.hi) return true;
  return std::nullopt;
}
// Infinite ends are none that a value can have.
std::optional<bool> NeverLess(Range a, Range b) {
  if (a.lo != Range::kNegInf && b.hi != Range::kPosInf && a.lo >= b.hi) return true;
  if (a.hi != Range::kPosInf && b.lo != Range::kNegInf && a.hi < b.lo) return false;
  return std::nullopt;
}

Range Least(Range a, Range b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Range Greatest(Range a, Range b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Range Either(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Range OfOperation(Op op, Range a, Range b, Range c) {
  const auto both = [](std::optional<bool> x, std::optional<bool> y) -> std::optional<bool> {
    if (x == false || y == false) return false;
    return x == true && y == true ? std::optional(true) : std::nullopt;
  };
  switch (op) {
    case Op::kInteger:
    case Op::kSymbol:
      break;
    case Op::kNegate:
      return Negated(a);
    case Op::kNot:
      return RangeOfTruth(Opposite(TruthOf(a)));
    case Op::kAbs:
      return a.lo >= 0 ? a : a.hi <= 0 ? Negated(a) : Range{0, std::max(Negated(a).hi, a.hi)};
    case Op::kAdd:
      return AddRanges(a, b);
    case Op::kSubtract:
      return AddRanges(a, Negated(b));
    case Op::kMultiply:
      return MultiplyRanges(a, b);
    case Op::kFloorDiv:
      return RangeOfFloor(a, b);
    case Op::kCeilDiv:
      return Negated(RangeOfFloor(Negated(a), b));
    case Op::kMod:
      return {0, b.hi == Range::kPosInf ? b.hi : std::max<int64_t>(b.hi - 1, 0)};
    case Op::kTruncDiv:
      if (a.lo >= 0) return RangeOfFloor(a, b);
      if (a.hi <= 0) return Negated(RangeOfFloor(Negated(a), b));
      break;
    case Op::kMin:
      return Least(a, b);
    case Op::kMax:
      return Greatest(a, b);
    case Op::kEq:
      return RangeOfTruth(Equal(a, b));
    case Op::kNe:
      return RangeOfTruth(Opposite(Equal(a, b)));
    case Op::kLt:
      return RangeOfTruth(Opposite(NeverLess(a, b)));
    case Op::kLe:
      return RangeOfTruth(NeverLess(b, a));
    case Op::kGt:
      return RangeOfTruth(Opposite(NeverLess(b, a)));
    case Op::kGe:
      return RangeOfTruth(NeverLess(a, b));
    case Op::kAnd:
      return RangeOfTruth(both(TruthOf(a), TruthOf(b)));
    case Op::kOr:
      return RangeOfTruth(Opposite(both(Opposite(TruthOf(a)), Opposite(TruthOf(b)))));
    case Op::kIte: {
      const std::optional<bool> truth = TruthOf(a);
      return truth == true ? b : truth == false ? c : Either(b, c);
    }
  }
  return {};
}

// What is assumed of one operation's value.
struct Assumption {
  const Term* of = nullptr;
  Range range;
};

class TermBounds {
 public:
  explicit TermBounds(Store& store) : store_(store) {
    if (store.term_ranges_when == store.generation) return;
    store.term_ranges.clear();
    store.term_ranges_when = store.generation;
  }

  bool Holds(const Term* term, int depth) {
    if (TruthOf(Of(term)) == true) return true;
    if (depth == kMostNested) return false;
    if (term->op == Op::kAnd)
      return Holds(term->operands[0], depth + 1) && Holds(term->operands[1], depth + 1);
    if (term->op != Op::kOr) return false;
    return Holds(term->operands[0], depth + 1) || Holds(term->operands[1], depth + 1) ||
           HoldsWithout(term->operands[0], term->operands[1]) ||
           HoldsWithout(term->operands[1], term->operands[0]);
  }

 private:
  // Whether `term` holds where `denied` does not.
  bool HoldsWithout(const Term* denied, const Term* term) {
    const Assumption assumption = Without(denied);
    if (assumption.of == nullptr) return false;
    if (assumption.range.lo > assumption.range.hi) return true;  // `denied` always holds
    int again = kMostAgain;
    return TruthOf(Under(assumption, term, again)) == true;
  }

  // What follows for the left side where a comparison with a number does not hold.
  Assumption Without(const Term* comparison) {
    if (OperandCount(comparison->op) != 2) return {};
    const Term* left = comparison->operands[0];
    const Range right = Of(comparison->operands[1]);
    if (left->op == Op::kInteger || right.lo != right.hi) return {};
    const int64_t k = right.lo;
    Range range = Of(left);
    if (k == Range::kNegInf || k == Range::kPosInf) return {};
    if (comparison->op == Op::kGt || comparison->op == Op::kGe) {
      range.hi = std::min(range.hi, comparison->op == Op::kGt ? k : k - 1);
    } else if (comparison->op == Op::kLt || comparison->op == Op::kLe) {
      range.lo = std::max(range.lo, comparison->op == Op::kLt ? k : k + 1);
    } else if (comparison->op == Op::kNe) {
      range = {std::max(range.lo, k), std::min(range.hi, k)};
    } else {
      return {};
    }
    return {left, range};
  }

  Range Under(const Assumption& assumption, const Term* term, int& again) {
    if (term == assumption.of) return assumption.range;
    if (OperandCount(term->op) == 0 || --again < 0) return Of(term);
    Range operands[3];
    for (int i = 0; i < OperandCount(term->op); ++i)
      operands[i] = Under(assumption, term->operands[i], again);
    return Within(OfOperation(term->op, operands[0], operands[1], operands[2]), Of(term));
  }

  // Both hold; rounding outwards never leaves nothing in common.
  static Range Within(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

  // Operands first, without recursion: sums have thousands of them one behind the other.
  Range Of(const Term* root) {
    std::vector<const Term*> pending = {root};
    while (!pending.empty()) {
      const Term* term = pending.back();
      if (store_.term_ranges.contains(term)) {
        pending.pop_back();
        continue;
      }
      const size_t waiting = pending.size();
      for (int i = 0; i < OperandCount(term->op); ++i) {
        if (!store_.term_ranges.contains(term->operands[i])) pending.push_back(term->operands[i]);
      }
      if (pending.size() > waiting) continue;
      pending.pop_back();
      store_.term_ranges.emplace(term, RangeOfTerm(term));
    }
    return store_.term_ranges.at(root);
  }

  Range RangeOfTerm(const Term* term) {
    ++store_.work;
    if (term->op == Op::kInteger) return {term->value, term->value};
    if (term->op == Op::kSymbol)
      return RangeOf(store_.symbols[static_cast<size_t>(term->value)].current);
    Range operands[3];
    for (int i = 0; i < OperandCount(term->op); ++i)
      operands[i] = store_.term_ranges.at(term->operands[i]);
    return OfOperation(term->op, operands[0], operands[1], operands[2]);
  }

  Store& store_;
};

}  // namespace

bool HoldsByTerms(Store& store, const Expr& proposition) {
  const Term* term = Store::TermOf(proposition);
  return term != nullptr && TermBounds(store).Holds(term, 0);
}

}  // namespace tessera::solver::internal

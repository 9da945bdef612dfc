#include "solver/prover.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "solver/bounds.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

constexpr int kBoundBudget = 32;
constexpr size_t kMaxDisjuncts = 8;
constexpr int kMaxHypothesisSteps = 64;
// In steps of Store::work, about a second: what networks require takes a thousandth of it.
constexpr uint64_t kMostWork = 20'000'000;

Poly Minus(const Poly& poly, int64_t constant) {
  Poly result = poly;
  result.AddConstant(-constant);
  return result;
}

Poly Opposite(const Poly& poly) {
  Poly result = poly;
  result.Negate();
  return result;
}

}  // namespace

Prover::Prover(Store& store, int combinations)
    : store_(store), last_work_(store.work + kMostWork), combinations_left_(combinations) {
  for (const Expr& hypothesis : store.hypotheses) Assume(hypothesis);
}

bool Prover::Used(Layer layer) {
  layer_ = std::max(layer_, layer);
  return true;
}

bool Prover::Prove(const Expr& proposition) {
  const Node* node = Store::NodeOf(proposition);
  if (node != nullptr && node->kind == Kind::kAnd) {
    return std::all_of(node->slots().begin(), node->slots().end(),
                       [&](const Slot& part) { return Prove(Store::Of(part)); });
  }
  return ProveHere(proposition, 0) || ProveByResidues(proposition);
}

void Prover::Assume(const Expr& e) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr || IsInvalid(e)) return;
  if (node->kind == Kind::kAnd) {
    for (const Slot& part : node->slots()) Assume(Store::Of(part));
    return;
  }
  const bool denied = !node->IsProposition();
  const Expr atom = denied ? Expr(1) - e : e;
  const Node* inner = Store::NodeOf(atom);
  if (inner == nullptr || (inner->kind != Kind::kEq && inner->kind != Kind::kGe)) return;
  const Poly poly(Store::Of(inner->slots()[0]));
  if (inner->kind == Kind::kGe) {
    hypotheses_.push_back(denied ? Minus(Opposite(poly), 1) : poly);
  } else if (!denied) {
    hypotheses_.push_back(poly);
    hypotheses_.push_back(Opposite(poly));
  } else if (ProveNonNegative(poly)) {
    hypotheses_.push_back(Minus(poly, 1));
  } else if (ProveNonNegative(Opposite(poly))) {
    hypotheses_.push_back(Minus(Opposite(poly), 1));
  }
}

bool Prover::ProveHere(const Expr& e, int depth) {
  if (const auto known = e.Constant()) return *known != 0;
  if (IsInvalid(e)) return false;
  const Node* node = Store::NodeOf(e);
  if (node->kind == Kind::kAnd) {
    return std::all_of(node->slots().begin(), node->slots().end(),
                       [&](const Slot& part) { return ProveHere(Store::Of(part), depth); });
  }
  const Node* denied = Store::NodeOf(Expr(1) - e);
  if (denied != nullptr && denied->kind == Kind::kAnd) return ProveDisjunction(denied, depth);
  return ProveAtom(e, depth) || ProveByCases(e, depth);
}

bool Prover::ProveAtom(const Expr& e, int) {
  const Node* node = Store::NodeOf(e);
  const bool denied = !node->IsProposition();
  if (denied) node = Store::NodeOf(Expr(1) - e);
  if (node == nullptr || (node->kind != Kind::kEq && node->kind != Kind::kGe)) return false;
  const Poly poly(Store::Of(node->slots()[0]));
  if (node->kind == Kind::kGe) return ProveNonNegative(denied ? Minus(Opposite(poly), 1) : poly);
  if (!denied) return ProveZero(poly);
  const Congruence c = CongruenceOf(Store::Of(node->slots()[0]));
  if (c.residue != 0) return Used(Layer::kRange);
  return ProveNonNegative(Minus(poly, 1)) || ProveNonNegative(Minus(Opposite(poly), 1));
}

bool Prover::ProveDisjunction(const Node* denied, int depth) {
  const absl::Span<const Slot> parts = denied->slots();  // the denials of the disjuncts
  if (parts.size() > kMaxDisjuncts || depth >= kMaxCaseDepth) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t kept = hypotheses_.size();
    for (size_t j = 0; j < parts.size(); ++j) {
      if (j != i) Assume(Store::Of(parts[j]));
    }
    const bool proved = ProveHere(Expr(1) - Store::Of(parts[i]), depth + 1);
    hypotheses_.resize(kept);
    if (proved) return Used(Layer::kCases);
  }
  return false;
}

bool Prover::ProveByCases(const Expr& e, int depth) {
  if (depth >= kMaxCaseDepth || cases_left_ <= 0 || store_.work > last_work_) return false;
  // The outermost choice inside; the proposition itself is not one.
  const Node* top = Store::NodeOf(e);
  const Node* inner = Store::NodeOf(Expr(1) - e);
  const Node* choice = nullptr;
  ForEachNode(e, [&](const Node* node) {
    if (node == top || node == inner || (node->kind != Kind::kMin && !node->IsProposition()))
      return;
    if (choice == nullptr || Before(choice, node)) choice = node;
  });
  if (choice == nullptr) return false;
  const auto prove_with = [&](const Expr& value, absl::Span<const Expr> assumptions) {
    if (--cases_left_ < 0) return false;
    const size_t kept = hypotheses_.size();
    for (const Expr& assumption : assumptions) {
      if (assumption == Expr(0)) return Used(Layer::kCases);  // this case does not occur
      Assume(assumption);
    }
    const Expr there =
        Rebuild(e, {.leaf = SameLeaf, .symbols = ~uint64_t{0}, .atom = choice, .value = value});
    const bool proved = ProveHere(ToProposition(there), depth + 1);
    hypotheses_.resize(kept);
    return proved;
  };
  if (choice->kind != Kind::kMin) {
    const Expr condition = Store::Of(choice);
    const Expr denial = Expr(1) - condition;
    return prove_with(1, {condition}) && prove_with(0, {denial}) && Used(Layer::kCases);
  }
  for (const Slot& least : choice->slots()) {
    std::vector<Expr> assumptions;
    for (const Slot& other : choice->slots()) {
      if (!(other == least)) assumptions.push_back(Ge(Store::Of(other), Store::Of(least)));
    }
    if (!prove_with(Store::Of(least), assumptions)) return false;
  }
  return Used(Layer::kCases);
}

bool Prover::ProveZero(const Poly& poly) {
  // Rule R10, which unites what the first pass keeps apart.
  store_.tie_rule = true;
  const Expr again = Rebuild(Finish(store_, poly), {.leaf = SameLeaf});
  store_.tie_rule = false;
  if (again == Expr(0)) return true;
  return ProveNonNegative(poly) && ProveNonNegative(Opposite(poly));
}

bool Prover::ProveNonNegative(const Poly& poly) {
  if (!poly.ok) return false;
  steps_left_ = kMaxHypothesisSteps;
  if (LowerBound(store_, poly, kBoundBudget) >= 0) return Used(Layer::kRange);
  if (ProveByFloors(poly, 0) || ProveByScaling(poly)) return Used(Layer::kRange);
  if (IsSumOfSquares(poly)) return Used(Layer::kSquares);
  return !hypotheses_.empty() && FollowsFromHypotheses(poly, 0) && Used(Layer::kHypotheses);
}

// F1 >= F2 for floors F1 = floor(n1/d1), F2 = floor(n2/d2) where n1*d2 >= n2*d1: then what is left
// of poly without w*M*(F1 - F2) is less, M >= 0 a monomial that stands before both.
bool Prover::ProveByFloors(const Poly& poly, int depth) {
  constexpr int kMostPairs = 3;
  const auto floor_of = [](const Node* monomial) -> const Node* {
    Slot scratch;
    for (const Slot& factor : FactorsOf(monomial, scratch)) {
      if (factor.node->kind == Kind::kFloor) return factor.node;
    }
    return nullptr;
  };
  for (const Slot& more : poly.terms) {
    const Node* f1 = more.value > 0 ? floor_of(more.node) : nullptr;
    if (f1 == nullptr) continue;
    const MonomialQuotient before = DivideMonomials(store_, more.node, f1);
    if (before.quotient != nullptr && RangeOfNode(before.quotient).lo < 0) continue;
    for (const Slot& less : poly.terms) {
      const Node* f2 =
          less.value < 0 && less.value != Range::kNegInf ? floor_of(less.node) : nullptr;
      if (f2 == nullptr || DivideMonomials(store_, less.node, f2).quotient != before.quotient)
        continue;
      Poly difference =
          Multiply(store_, Poly(Store::Of(f1->slots()[0])), Poly(Store::Of(f2->slots()[1])));
      difference.AddScaled(
          Multiply(store_, Poly(Store::Of(f2->slots()[0])), Poly(Store::Of(f1->slots()[1]))), -1);
      if (!difference.ok || LowerBound(store_, difference, kBoundBudget / 2) < 0) continue;
      const int64_t w = std::min(more.value, -less.value);
      Poly rest = poly;
      rest.AddTerm(more.node, -w);
      rest.AddTerm(less.node, w);
      if (LowerBound(store_, rest, kBoundBudget) >= 0 ||
          (depth + 1 < kMostPairs && ProveByFloors(rest, depth + 1)))
        return true;
    }
  }
  return false;
}

// poly > -1 for an integer is poly >= 0: d*poly + d - 1 >= 0, where all floors by d can be opened.
bool Prover::ProveByScaling(const Poly& poly) {
  absl::InlinedVector<const Node*, 4> tried;
  for (const Slot& term : poly.terms) {
    Slot scratch;
    for (const Slot& factor : FactorsOf(term.node, scratch)) {
      if (factor.node->kind != Kind::kFloor) continue;
      const Expr divisor = Store::Of(factor.node->slots()[1]);
      const Node* d = Store::NodeOf(divisor);
      if (d == nullptr || std::find(tried.begin(), tried.end(), d) != tried.end()) continue;
      tried.push_back(d);
      Poly scaled = Multiply(store_, poly, Poly(divisor));
      scaled.AddScaled(Poly(divisor), 1);
      scaled.AddConstant(-1);
      if (!scaled.ok) continue;
      if (LowerBound(store_, scaled, kBoundBudget) >= 0) return true;
      if (hypotheses_.empty()) continue;
      if (FollowsFromHypotheses(scaled, 0)) return Used(Layer::kHypotheses);
      if (factor.node != term.node) continue;
      // n - d + 1 <= d*floor(n/d) <= n
      const Poly numerator(Store::Of(factor.node->slots()[0]));
      Poly quotient;
      quotient.AddTerm(factor.node, 1);
      Poly opened = scaled;
      opened.AddScaled(Multiply(store_, Poly(divisor), quotient), -term.value);
      opened.AddScaled(numerator, term.value);
      if (term.value > 0) {
        opened.AddScaled(Poly(divisor), -term.value);
        opened.AddConstant(term.value);
      }
      if (opened.ok && FollowsFromHypotheses(opened, 0)) return Used(Layer::kHypotheses);
    }
  }
  return false;
}

bool Prover::FollowsFromHypotheses(const Poly& poly, int depth) {
  if (depth == 3 || --steps_left_ < 0) return false;
  for (const Poly& h : hypotheses_) {
    // k*M cancels a term that both have with one sign: m*poly - k*M*h >= 0 with m, k > 0, M >= 0.
    absl::InlinedVector<Poly, 4> tried;
    for (const Slot& t : h.terms) {
      for (const Slot& u : poly.terms) {
        if ((u.value > 0) != (t.value > 0) || u.value == Range::kNegInf ||
            t.value == Range::kNegInf)
          continue;
        const MonomialQuotient quotient = DivideMonomials(store_, u.node, t.node);
        if (!quotient.divides ||
            (quotient.quotient != nullptr && RangeOfNode(quotient.quotient).lo < 0))
          continue;
        const int64_t g = std::gcd(u.value, t.value);
        Poly factor;
        if (quotient.quotient == nullptr) {
          factor.AddConstant(std::abs(u.value) / g);
        } else {
          factor.AddTerm(quotient.quotient, std::abs(u.value) / g);
        }
        Poly rest = poly;
        rest.Scale(std::abs(t.value) / g);
        rest.AddScaled(Multiply(store_, h, factor), -1);
        if (!rest.ok) continue;
        const bool known = std::any_of(tried.begin(), tried.end(), [&](const Poly& other) {
          return other.terms.size() == rest.terms.size() && other.constant == rest.constant &&
                 std::equal(rest.terms.begin(), rest.terms.end(), other.terms.begin());
        });
        if (known) continue;
        if (--combinations_left_ < 0) return false;
        tried.push_back(rest);
        if (LowerBound(store_, rest, kBoundBudget / 2) >= 0 ||
            FollowsFromHypotheses(rest, depth + 1))
          return true;
      }
    }
  }
  return false;
}

}  // namespace tessera::solver::internal

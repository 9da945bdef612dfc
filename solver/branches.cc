#include "solver/branches.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/copy.h"
#include "solver/poly.h"
#include "solver/rules.h"
#include "solver/store.h"

namespace tessera::solver::internal {
namespace {

constexpr int kMostMultiples = 4;
constexpr int kLeastValues = 2;
constexpr size_t kMostSymbols = 8;
// Of all branches together: what is not proved by one combination of hypotheses or another in the
// first of them mostly is not in the others.
constexpr int kMostCombinations = 1024;

// A hypothesis x == d*floor(x/d).
struct Multiple {
  Expr x;  // a symbol, or its quotient by a number that divides it
  size_t symbol;
  Expr divisor;  // d, no number, without the symbol
};

std::optional<Multiple> AsMultiple(Store& store, const Expr& hypothesis) {
  const Node* node = Store::NodeOf(hypothesis);
  if (node == nullptr || node->kind != Kind::kEq) return std::nullopt;
  const Expr zero = Store::Of(node->slots()[0]);
  std::optional<Multiple> found;
  ForEachNode(zero, [&](const Node* floor) {
    if (floor->kind != Kind::kFloor || floor->slots()[1].node == nullptr) return;
    const Node* x = floor->slots()[0].node;
    const Expr d = Store::Of(floor->slots()[1]);
    if (x == nullptr || (x->kind != Kind::kSymbol && x->kind != Kind::kQuotient) ||
        Occurs(d, x->constant))
      return;
    Poly rest = Multiply(store, Poly(d), Poly(Store::Of(floor)));
    rest.AddTerm(x, -1);
    rest.AddScaled(PolyView(zero), 1);
    Poly opposite = Multiply(store, Poly(d), Poly(Store::Of(floor)));
    opposite.AddTerm(x, -1);
    opposite.AddScaled(PolyView(zero), -1);
    if ((rest.ok && rest.IsZero()) || (opposite.ok && opposite.IsZero()))
      found = Multiple{Store::Of(x), static_cast<size_t>(x->constant), d};
  });
  return found;
}

// The context with what stands for x replaced by d*k, k a new symbol of which the range of x tells
// the range, as d >= 1.
std::unique_ptr<Context> WithMultiple(const Context& context, const Multiple& multiple) {
  const Range x = RangeOf(multiple.x);
  std::string name = context.store().symbols[multiple.symbol].info.name + "'";
  while (context.Find(name) != nullptr) name += "'";
  std::unique_ptr<Context> branch = Copy(context);
  Range range;
  if (x.lo >= 0) range.lo = std::min<int64_t>(x.lo, 1);
  if (x.hi >= 0) range.hi = x.hi;
  const absl::StatusOr<Expr> k = branch->Declare(name, range, {}, "");
  if (!k.ok()) return nullptr;
  const Expr value = Transfer(*branch, multiple.divisor) * *k;
  const Expr x_there = Transfer(*branch, multiple.x);
  if (value.IsInvalid() || !branch->Assume(Eq(x_there, value), "").ok()) return nullptr;
  return branch;
}

bool ProveThere(Context& context, const Expr& goal, int& combinations) {
  const Expr there = context.Renormalize(Bare(Transfer(context, Bare(goal))));
  if (const auto known = there.Constant()) return *known != 0;
  if (there.IsInvalid()) return false;
  Prover prover(context.store(), combinations);
  const bool proved = prover.Prove(there);
  combinations = prover.combinations_left();
  return proved;
}

bool ProveWithMultiples(const Context& context, const Expr& goal, int depth, int& combinations) {
  if (depth == kMostMultiples) return false;
  // The hypotheses of a copy are those of the original.
  for (const Expr& hypothesis : context.hypotheses()) {
    Store& store = *Store::NodeOf(hypothesis)->store;
    const std::optional<Multiple> multiple = AsMultiple(store, hypothesis);
    if (!multiple) continue;
    const std::unique_ptr<Context> branch = WithMultiple(context, *multiple);
    if (branch == nullptr) return false;
    const Expr there = Bare(Transfer(*branch, Bare(goal)));
    return ProveThere(*branch, there, combinations) ||
           ProveWithMultiples(*branch, there, depth + 1, combinations);
  }
  return false;
}

// `goal` where `symbol` is one of its `values` least values, and where it is greater.
bool ProveByLeastValues(const Context& context, const Expr& goal, const std::string& symbol,
                        int& combinations) {
  std::unique_ptr<Context> greater = Copy(context);
  for (int i = 0; i < kLeastValues; ++i) {
    const SymbolInfo* info = greater->Find(symbol);
    const int64_t least = info->range.lo;
    if (info->value || least == Range::kNegInf || least == info->range.hi) return false;
    const std::unique_ptr<Context> least_there = Copy(*greater);
    // A contradiction: there are no such sizes.
    if (least_there->Assume(Eq(least_there->Symbol(symbol), least), "").ok() &&
        !ProveThere(*least_there, goal, combinations))
      return false;
    if (!greater->Assume(Gt(greater->Symbol(symbol), least), "").ok()) return true;
    if (ProveThere(*greater, goal, combinations)) return true;
  }
  return false;
}

}  // namespace

bool ProveInBranches(const Context& context, const Expr& goal, Layer& layer) {
  int combinations = kMostCombinations;
  layer = Layer::kHypotheses;
  if (ProveWithMultiples(context, goal, 0, combinations)) return true;
  layer = Layer::kCases;
  const std::vector<std::string> symbols = SymbolsOf(goal);
  return symbols.size() <= kMostSymbols &&
         std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
           return ProveByLeastValues(context, goal, symbol, combinations);
         });
}

}  // namespace tessera::solver::internal

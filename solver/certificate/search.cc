#include "solver/certificate/search.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace tessera::certificate {
namespace {

using Wide = __int128;

constexpr int64_t kMaxSteps = int64_t{1} << 26;  // operators evaluated in a second, or less
// Where a range has no end, sizes beyond this are not tried.
constexpr int64_t kSpan = int64_t{1} << 31;

// The symbols of the problem that a term has in it.
std::set<uint32_t> SymbolsIn(const Claim& claim, uint32_t root) {
  std::vector<bool> reached(root + 1);
  reached[root] = true;
  std::set<uint32_t> symbols;
  for (uint32_t i = root + 1; i-- > 0;) {
    if (!reached[i]) continue;
    const Term& term = claim.statement.terms[i];
    for (int k = 0; k < Arity(term.op); ++k) reached[term.operands[k]] = true;
    if (term.op == Operator::kSymbol)
      symbols.insert(claim.symbols[static_cast<size_t>(term.value)]);
  }
  return symbols;
}

}  // namespace

Search::Search(const Problem& problem, const Claim& claim, std::vector<int64_t> witness)
    : problem_(problem), claim_(claim), values_(std::move(witness)), evaluator_(claim) {
  const Problem::Neighbourhood near = problem.NeighbourhoodOf(claim);
  FindDefinitions(near.facts);
  for (uint32_t index : near.symbols) {
    if (std::any_of(definitions_.begin(), definitions_.end(),
                    [&](const Definition& d) { return d.symbol == index; }))
      continue;
    const DeclaredSymbol& symbol = problem.symbols()[index];
    // Below the witness where there is no lower end, so that both signs occur.
    const Wide lo = symbol.lo ? Wide{*symbol.lo} : Wide{values_[index]} - kSpan;
    const Wide hi = symbol.hi ? Wide{*symbol.hi} : std::max(lo, Wide{values_[index]}) + kSpan;
    const Wide excess = ((lo - symbol.residue) % symbol.stride + symbol.stride) % symbol.stride;
    const Wide first = excess == 0 ? lo : lo + symbol.stride - excess;
    constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
    constexpr Wide kMost = std::numeric_limits<int64_t>::max();
    const Wide last = std::min(hi, kMost);
    Progression free{index, values_[index], symbol.stride, 1, false};
    if (kLeast <= first && first <= last) {
      free.first = static_cast<int64_t>(first);
      free.count = static_cast<int64_t>(std::min((last - first) / symbol.stride + 1, kMost));
      free.all = symbol.lo.has_value() && symbol.hi.has_value();
    }
    free_.push_back(free);
  }
}

void Search::FindDefinitions(absl::Span<const uint32_t> facts) {
  steps_ = static_cast<int64_t>(claim_.statement.terms.size());
  for (uint32_t fact : facts) {
    facts_.emplace_back(problem_.facts()[fact]);
    steps_ += static_cast<int64_t>(problem_.facts()[fact].statement.terms.size());
  }
  // What each defined symbol needs, through other definitions too.
  std::vector<std::pair<Definition, std::set<uint32_t>>> found;
  for (uint32_t i = 0; i < facts.size(); ++i) {
    const Claim& fact = problem_.facts()[facts[i]];
    const Term& root = fact.statement.terms[fact.statement.root];
    if (root.op != Operator::kEq) continue;
    for (int side = 0; side < 2; ++side) {
      const Term& name = fact.statement.terms[root.operands[side]];
      if (name.op != Operator::kSymbol) continue;
      const uint32_t symbol = fact.symbols[static_cast<size_t>(name.value)];
      std::set<uint32_t> needs = SymbolsIn(fact, root.operands[1 - side]);
      for (const auto& [other, others_needs] : found) {
        if (needs.count(other.symbol) != 0) needs.insert(others_needs.begin(), others_needs.end());
      }
      const bool taken = std::any_of(found.begin(), found.end(), [&](const auto& other) {
        return other.first.symbol == symbol;
      });
      if (taken || needs.count(symbol) != 0) continue;
      for (auto& [other, others_needs] : found) {
        if (others_needs.count(symbol) != 0) others_needs.insert(needs.begin(), needs.end());
      }
      found.push_back({{symbol, i, root.operands[1 - side]}, std::move(needs)});
      break;
    }
  }
  // Needs are transitive: whoever needs another needs more than that one.
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  for (const auto& [definition, needs] : found) definitions_.push_back(definition);
}

bool Search::Admits(uint32_t index, int64_t value) const {
  const DeclaredSymbol& symbol = problem_.symbols()[index];
  return (!symbol.lo || value >= *symbol.lo) && (!symbol.hi || value <= *symbol.hi) &&
         (Wide{value} - symbol.residue) % symbol.stride == 0;
}

bool Search::Visit(Trial& trial) {
  for (const Definition& d : definitions_) {
    if (!facts_[d.fact].ValueOf(d.term, values_, &values_[d.symbol]) ||
        !Admits(d.symbol, values_[d.symbol]))
      return true;
  }
  for (Evaluator& fact : facts_) {
    const Truth truth = fact.Evaluate(values_);
    if (truth == Truth::kUndecided) trial.complete = false;
    if (truth != Truth::kHolds) return true;
  }
  switch (evaluator_.Evaluate(values_)) {
    case Truth::kHolds:
      ++trial.held;
      return true;
    case Truth::kUndecided:
      trial.complete = false;
      return true;
    case Truth::kViolated:
      break;
  }
  trial.violated = values_;
  trial.complete = false;
  return false;
}

void Search::Choose(const Progression& free, int64_t k) {
  values_[free.symbol] = static_cast<int64_t>(free.first + Wide{free.stride} * k);
}

Trial Search::Exhaust() {
  Trial trial;
  int64_t steps = steps_;
  for (const Progression& free : free_) {
    if (!free.all || __builtin_mul_overflow(steps, free.count, &steps) || steps > kMaxSteps)
      return trial;
  }
  trial.complete = true;
  std::vector<int64_t> digits(free_.size(), 0);
  for (const Progression& free : free_) Choose(free, 0);
  while (Visit(trial)) {
    size_t i = 0;
    while (i < free_.size() && ++digits[i] == free_[i].count) Choose(free_[i], digits[i] = 0), ++i;
    if (i == free_.size()) break;
    Choose(free_[i], digits[i]);
  }
  return trial;
}

int64_t Search::Corner(const Progression& free) {
  const int64_t step = static_cast<int64_t>(random_() % 4);
  const bool from_end = random_() % 2 == 0;
  const int64_t k = std::min(step, free.count - 1);
  return from_end ? free.count - 1 - k : k;
}

// As many of each magnitude.
int64_t Search::Random(const Progression& free) {
  const uint64_t draw = (random_() >> 1) >> (random_() % 63);
  return static_cast<int64_t>(draw % static_cast<uint64_t>(free.count));
}

Trial Search::Sample(int64_t wanted, int64_t tries) {
  Trial trial;
  if (!Visit(trial)) return trial;
  // Of those that held, the values of free_.
  absl::flat_hash_set<std::vector<int64_t>> seen;
  std::vector<int64_t> key(free_.size());
  for (size_t i = 0; i < free_.size(); ++i) key[i] = values_[free_[i].symbol];
  seen.insert(key);
  // The small ones are all combinations of the first `width` values of each symbol.
  int64_t width = 1, small = 1;
  const auto power = [&](int64_t base) {
    int64_t product = 1;
    for (size_t i = 0; i < free_.size() && product <= wanted; ++i) product *= base;
    return product;
  };
  while (!free_.empty() && power(width + 1) <= wanted / 2) small = power(++width);
  tries = std::min(tries, std::max(2 * wanted, 4 * kMaxSteps / steps_));
  for (int64_t i = 0; i < tries && trial.held < wanted; ++i) {
    int64_t digits = i;
    for (size_t n = 0; n < free_.size(); ++n) {
      const Progression& free = free_[n];
      if (i < small) {
        Choose(free, std::min(digits % width, free.count - 1));
        digits /= width;
      } else {
        Choose(free, random_() % 4 == 0 ? Corner(free) : Random(free));
      }
      key[n] = values_[free.symbol];
    }
    if (seen.contains(key)) continue;
    const int64_t held = trial.held;
    if (!Visit(trial)) return trial;
    if (trial.held > held) seen.insert(key);
  }
  return trial;
}

}  // namespace tessera::certificate

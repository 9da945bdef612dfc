#include "solver/search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "solver/poly.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

using Wide = __int128;

uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

Search::Search(Store& store, const Expr& predicate)
    : store_(store), predicate_(predicate), evaluator_(store) {
  std::vector<char> needed(store.symbols.size());
  const auto need = [&](const Expr& e) {
    ForEachNode(e, [&](const Node* node) {
      if (node->kind == Kind::kSymbol || node->kind == Kind::kQuotient)
        needed[static_cast<size_t>(node->constant)] = 1;
    });
  };
  need(predicate);
  for (const Expr& hypothesis : store.hypotheses) need(hypothesis);
  for (size_t i = 0; i < needed.size(); ++i) {
    const SymbolInfo& info = store.symbols[i].info;
    if (needed[i] == 0 || info.value || info.range.lo == info.range.hi) continue;
    Variable v{i, info.range, info.congruence.stride, 0, 0};
    if (!v.range.Contains(0) || v.range.lo >= -8) {
      v.first = v.range.lo >= -8 ? v.range.lo : v.range.hi;
    } else {
      v.first = info.congruence.residue;
      if (v.first > v.range.hi) v.first -= v.stride;
    }
    v.value = v.first;
    variables_.push_back(v);
  }
}

bool Search::At(const Variable& v, uint64_t index, int64_t* value) const {
  const Wide step = static_cast<Wide>(v.stride);
  Wide result;
  if (v.first == v.range.lo) {
    result = v.first + step * index;
  } else if (v.first == v.range.hi) {
    result = v.first - step * index;
  } else {
    // 0, 1, -1, 2, ...
    result = v.first + (index % 2 == 1 ? step * ((index + 1) / 2) : -step * (index / 2));
  }
  if (result < v.range.lo || result > v.range.hi || result <= Range::kNegInf ||
      result >= Range::kPosInf)
    return false;
  *value = static_cast<int64_t>(result);
  return true;
}

bool Search::Holds() {
  evaluator_.Restart();
  for (const Variable& v : variables_) evaluator_.Set(v.symbol, v.value);
  int64_t value = 0;
  if (evaluator_.Of(predicate_, &value) != ValueError::kNone || value != 0) return false;
  for (const Expr& hypothesis : store_.hypotheses) {
    if (evaluator_.Of(hypothesis, &value) != ValueError::kNone || value == 0) return false;
  }
  return true;
}

bool Search::TrySmall() {
  const size_t n = variables_.size();
  if (n == 0) return Holds();
  for (uint64_t round = 0; round < 64; ++round) {
    bool known = true;
    for (size_t i = 0; i < n; ++i) {
      // All alike first; then apart.
      uint64_t index = round;
      if (n > 1 && round >= 8) index = Mix(round * 64 + i) % (round < 32 ? 4 : 12);
      known = At(variables_[i], index, &variables_[i].value) && known;
      if (!known) variables_[i].value = variables_[i].first;
    }
    if ((known || n > 1) && Holds()) return true;
    if (!known && n == 1) break;
  }
  for (const bool high : {true, false}) {
    bool any = false;
    for (Variable& v : variables_) {
      const int64_t end = high ? v.range.hi : v.range.lo;
      const bool finite = end != Range::kPosInf && end != Range::kNegInf;
      v.value = finite ? end : v.first;
      any |= finite && v.value != v.first;
    }
    if (any && Holds()) return true;
  }
  return false;
}

bool Search::TryMany(int rounds) {
  const size_t n = variables_.size();
  if (n == 0) return false;
  // Where a comparison of one symbol with a number changes, on either side.
  ForEachNode(predicate_, [&](const Node* node) {
    if (node->kind != Kind::kEq && node->kind != Kind::kGe) return;
    const Poly poly(Store::Of(node->slots()[0]));
    if (poly.terms.size() != 1) return;
    const Slot& term = poly.terms[0];
    if (term.node->kind != Kind::kSymbol && term.node->kind != Kind::kQuotient) return;
    if (poly.constant == Range::kNegInf || term.value < 1) return;
    const Wide at = -poly.constant / term.value;
    const bool quotient = term.node->kind == Kind::kQuotient;
    const Wide stride = quotient ? term.node->slots()[0].value : 1;
    const Wide residue = quotient ? term.node->slots()[1].value : 0;
    for (size_t i = 0; i < n; ++i) {
      if (variables_[i].symbol != static_cast<size_t>(term.node->constant)) continue;
      for (Wide k = at - 1; k <= at + 1; ++k) {
        const Wide value = k * stride + residue;
        if (value >= variables_[i].range.lo && value <= variables_[i].range.hi)
          turning_points_.emplace_back(i, static_cast<int64_t>(value));
      }
    }
  });
  for (size_t point = 0; point < turning_points_.size() && point < 256; ++point) {
    for (uint64_t round = 0; round < 4; ++round) {
      for (size_t i = 0; i < n; ++i) {
        if (!At(variables_[i], round == 0 ? 0 : Mix(point * 4 + round + i) % 16,
                &variables_[i].value))
          variables_[i].value = variables_[i].first;
      }
      variables_[turning_points_[point].first].value = turning_points_[point].second;
      if (Holds()) return true;
    }
  }
  return TryRoots(rounds / 64) || TryRandom(0, rounds);
}

bool Search::TryRandom(int first, int last) {
  for (int round = first; round < last; ++round) {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const uint64_t random = Mix(static_cast<uint64_t>(round) * 1024 + i + 0x5EED);
      // Magnitudes are spread evenly, up to 2^20 values from the first.
      const uint64_t mask = (uint64_t{2} << (random % 20)) - 1;
      if (!At(variables_[i], (random >> 8) & mask, &variables_[i].value)) {
        const Range& r = variables_[i].range;
        const bool finite = r.lo != Range::kNegInf && r.hi != Range::kPosInf;
        const uint64_t count =
            finite
                ? static_cast<uint64_t>((static_cast<Wide>(r.hi) - r.lo) / variables_[i].stride) + 1
                : 1;
        variables_[i].value =
            finite && count != 0
                ? static_cast<int64_t>(r.lo + static_cast<Wide>((random >> 8) % count) *
                                                  variables_[i].stride)
                : variables_[i].first;
      }
    }
    if (Holds()) return true;
  }
  return false;
}

bool Search::Fits(const Variable& v, Wide value) const {
  return value >= v.range.lo && value <= v.range.hi && value > Range::kNegInf &&
         value < Range::kPosInf && (value - v.first) % v.stride == 0;
}

bool Search::TryRoot(const Expr& e, Variable& v) {
  const int64_t start = v.value;
  const auto value_at = [&](Wide at, int64_t* result) {
    if (!Fits(v, at)) return false;
    v.value = static_cast<int64_t>(at);
    evaluator_.Restart();
    for (const Variable& each : variables_) evaluator_.Set(each.symbol, each.value);
    return evaluator_.Of(e, result) == ValueError::kNone;
  };
  Wide x = start;
  Wide step = static_cast<Wide>(v.stride) * 64;
  for (int steps = 0; steps < 4; ++steps) {
    int64_t here;
    int64_t there;
    if (!value_at(x, &here) ||
        !(value_at(x + step, &there) || value_at(x + (step = -step), &there)))
      break;
    const Wide rise = static_cast<Wide>(there) - here;
    if (rise == 0) break;
    const Wide move = -static_cast<Wide>(here) * step / rise / v.stride * v.stride;
    x += move;
    for (const Wide at : {x, x + v.stride, x - v.stride}) {
      if (!Fits(v, at)) continue;
      v.value = static_cast<int64_t>(at);
      if (Holds()) return true;
    }
    if (move == 0) break;
    step = v.stride;
  }
  v.value = start;
  return false;
}

bool Search::TryRoots(int rounds) {
  constexpr size_t kMaxComparisons = 16;
  std::vector<Expr> comparisons;
  const auto collect = [&](const Expr& e) {
    ForEachNode(e, [&](const Node* node) {
      if ((node->kind == Kind::kEq || node->kind == Kind::kGe) &&
          comparisons.size() < kMaxComparisons)
        comparisons.push_back(Store::Of(node->slots()[0]));
    });
  };
  collect(predicate_);
  for (const Expr& hypothesis : store_.hypotheses) collect(hypothesis);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const uint64_t random = Mix(static_cast<uint64_t>(round) * 64 + i + 0xB007);
      if (!At(variables_[i], (random >> 8) & ((uint64_t{1} << (random % 9)) - 1),
              &variables_[i].value))
        variables_[i].value = variables_[i].first;
    }
    for (const Expr& e : comparisons) {
      for (Variable& v : variables_) {
        if (TryRoot(e, v)) return true;
      }
    }
  }
  return false;
}

void Search::Shrink(Variable& v) {
  const int64_t found = v.value;
  v.value = v.first;
  if (found == v.first || Holds()) return;
  // Between a value that fails to serve and one that serves; exact where serving is monotone.
  Wide bad = v.first;
  Wide good = found;
  while (good - bad > v.stride || bad - good > v.stride) {
    Wide middle = bad + (good - bad) / v.stride / 2 * v.stride;
    if (middle == bad) middle += good > bad ? v.stride : -v.stride;
    v.value = static_cast<int64_t>(middle);
    (Holds() ? good : bad) = middle;
  }
  v.value = static_cast<int64_t>(good);
}

Assignment Search::Result() {
  for (Variable& v : variables_) Shrink(v);
  Assignment result;
  evaluator_.Restart();
  for (const Variable& v : variables_) {
    evaluator_.Set(v.symbol, v.value);
    result[store_.symbols[v.symbol].info.name] = v.value;
  }
  for (size_t i = 0; i < store_.symbols.size(); ++i) {
    const SymbolInfo& info = store_.symbols[i].info;
    int64_t value = 0;
    if ((info.value || info.range.lo == info.range.hi) &&
        evaluator_.Of(Store::Of(store_.symbols[i].node), &value) == ValueError::kNone)
      result[info.name] = value;
  }
  return result;
}

}  // namespace tessera::solver::internal

#include "solver/decide.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::solver {
namespace {

// Values worth trying for a symbol: the corners of its range first, then small ones, then spread ones.
int64_t Sample(const SymbolInfo& symbol, uint64_t round, uint64_t& state) {
  const int64_t stride = symbol.congruence.stride;
  const int64_t first = symbol.range.lo + (symbol.congruence.residue - symbol.range.lo % stride + 2 * stride) % stride;
  const int64_t span = (std::min(symbol.range.hi, first + (int64_t{1} << 20)) - first) / stride;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  const int64_t small = round < 64 ? static_cast<int64_t>(round) : static_cast<int64_t>(state % 1031);
  const int64_t k = round < 40 ? std::min(static_cast<int64_t>(round == 0 ? 0 : state % (round + 1)), span) : std::min(small % (span + 1), span);
  return first + k * stride;
}

}  // namespace

Verdict Decide(Context& context, const Expr& proposition) {
  Verdict verdict;
  verdict.residual = proposition;
  if (proposition.IsInvalid()) return verdict;
  if (const auto constant = proposition.Constant()) {
    verdict.kind = *constant != 0 ? Verdict::kProved : Verdict::kRefuted;
    verdict.by = "normal form";
    if (verdict.kind == Verdict::kProved) return verdict;
  } else {
    const Range range = RangeOf(proposition);
    if (range.lo > 0) {
      verdict.kind = Verdict::kProved;
      verdict.by = "range";
      return verdict;
    }
  }
  // A proposition refuted by its form still deserves a size at which it fails.
  const std::vector<std::string> names = proposition.IsConstant() ? std::vector<std::string>{} : SymbolsOf(proposition);
  std::vector<const SymbolInfo*> symbols;
  for (const std::string& name : names) symbols.push_back(context.Find(name));
  uint64_t state = 0x9E3779B97F4A7C15u;
  for (uint64_t round = 0; round < 600; ++round) {
    Assignment assignment;
    for (const SymbolInfo* symbol : symbols) {
      if (symbol != nullptr) assignment[symbol->name] = Sample(*symbol, round, state);
    }
    const absl::StatusOr<int64_t> value = Evaluate(proposition, assignment);
    if (value.ok() && *value == 0) {
      verdict.kind = Verdict::kRefuted;
      if (verdict.by.empty()) verdict.by = "counterexample";
      verdict.counterexample = std::move(assignment);
      return verdict;
    }
  }
  return verdict;
}

}  // namespace tessera::solver

#include "solver/certificate/remainders.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "solver/certificate/polynomial.h"
#include "solver/certificate/simplify.h"

namespace tessera::certificate {
namespace {

// Numbers that the claim divides by, and what it divides again by them.
std::vector<int64_t> ModuliOf(const Statement& statement) {
  constexpr int64_t kMost = 96;
  std::set<int64_t> divisors;
  for (const Term& term : statement.terms) {
    const bool divides = term.op == Operator::kFloorDiv || term.op == Operator::kCeilDiv ||
                         term.op == Operator::kMod || term.op == Operator::kTruncDiv;
    if (!divides) continue;
    const Term& by = statement.terms[term.operands[1]];
    if (by.op == Operator::kInteger && by.value > 1 && by.value <= kMost) divisors.insert(by.value);
  }
  std::set<int64_t> moduli;
  int64_t all = 1, common = 1;
  for (const int64_t divisor : divisors) {
    all = std::min(kMost + 1, all * divisor);
    common = std::min(kMost + 1, std::lcm(common, divisor));
  }
  for (const int64_t modulus : {common, all, common * 2, all * all}) {
    if (modulus > 1 && modulus <= kMost) moduli.insert(modulus);
  }
  return {moduli.begin(), moduli.end()};
}

}  // namespace

bool HoldsByRemainders(const Problem& problem, const Claim& claim) {
  const std::vector<int64_t> moduli = ModuliOf(claim.statement);
  const auto holds = [&](const Remainder& of) {
    const std::optional<Claim> simple = Simplified(problem, claim, of);
    return simple && IsTrue(*simple);
  };
  for (const uint32_t symbol : claim.symbols) {
    const DeclaredSymbol& declared = problem.symbols()[symbol];
    for (const int64_t modulus : moduli) {
      const Wide stride = Wide{declared.stride} * modulus;
      if (stride > INT32_MAX) continue;
      bool all = true;
      for (int64_t k = 0; k < modulus && all; ++k)
        all = holds({symbol, static_cast<int64_t>(stride), declared.residue + k * declared.stride});
      if (all) return true;
    }
  }
  return false;
}

}  // namespace tessera::certificate

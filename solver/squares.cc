#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "solver/prover.h"

namespace tessera::solver::internal {

bool Prover::IsSumOfSquares(const Poly& poly) {
  constexpr size_t kMaxAtoms = 6;
  constexpr int64_t kMaxCoefficient = int64_t{1} << 20;
  absl::InlinedVector<const Node*, kMaxAtoms> atoms;
  bool has_square = false;
  const auto index_of = [&](const Node* atom) {
    const auto it = std::find(atoms.begin(), atoms.end(), atom);
    if (it == atoms.end()) atoms.push_back(atom);
    return static_cast<size_t>(it - atoms.begin());
  };
  if (std::abs(poly.constant / 2) > kMaxCoefficient) return false;
  for (const Slot& term : poly.terms) {
    Slot scratch;
    const absl::Span<const Slot> factors = FactorsOf(term.node, scratch);
    if (factors.size() > 2 || term.value > kMaxCoefficient || term.value < -kMaxCoefficient)
      return false;
    has_square |= factors.size() == 2 && factors[0].node == factors[1].node;
    for (const Slot& factor : factors) index_of(factor.node);
    if (atoms.size() > kMaxAtoms) return false;
  }
  if (!has_square) return false;
  // Twice the symmetric matrix of the form, the last row for 1; positive semidefinite?
  const size_t n = atoms.size() + 1;
  std::vector<std::vector<int64_t>> m(n, std::vector<int64_t>(n));
  m[n - 1][n - 1] = 2 * poly.constant;
  for (const Slot& term : poly.terms) {
    Slot scratch;
    const absl::Span<const Slot> factors = FactorsOf(term.node, scratch);
    const size_t i = index_of(factors[0].node);
    const size_t j = factors.size() == 2 ? index_of(factors[1].node) : n - 1;
    m[i][j] += i == j ? 2 * term.value : term.value;
    if (i != j) m[j][i] += term.value;
  }
  for (size_t k = 0; k < n; ++k) {
    if (m[k][k] < 0) return false;
    if (m[k][k] == 0) {
      if (std::any_of(m[k].begin() + static_cast<ptrdiff_t>(k), m[k].end(),
                      [](int64_t v) { return v != 0; }))
        return false;
      continue;
    }
    // The Schur complement, times m[k][k] > 0, divided by what all its entries share.
    int64_t g = 0;
    std::vector<std::vector<__int128>> next(n, std::vector<__int128>(n));
    for (size_t i = k + 1; i < n; ++i) {
      for (size_t j = k + 1; j < n; ++j) {
        next[i][j] =
            static_cast<__int128>(m[i][j]) * m[k][k] - static_cast<__int128>(m[i][k]) * m[k][j];
        if (next[i][j] > (__int128{1} << 62) || next[i][j] < -(__int128{1} << 62)) return false;
        g = std::gcd(g, static_cast<int64_t>(next[i][j]));
      }
    }
    for (size_t i = k + 1; i < n; ++i) {
      for (size_t j = k + 1; j < n; ++j)
        m[i][j] = g == 0 ? 0 : static_cast<int64_t>(next[i][j]) / g;
    }
  }
  return true;
}

}  // namespace tessera::solver::internal

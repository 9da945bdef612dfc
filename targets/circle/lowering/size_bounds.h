// How large numbers can become that are computed from sizes.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_SIZE_BOUNDS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_SIZE_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "solver/expr.h"
#include "targets/circle/size_limit.h"

namespace tessera::circle {

// Bounds over all sizes that the facts admit and at which no tensor of the graph has more than
// kMostElements. What leaves 64 bits is at their end.
class SizeBounds {
 public:
  explicit SizeBounds(const ir::Graph& graph);

  solver::Range Of(const solver::Expr& e);
  bool FitI32(const solver::Expr& e);

 private:
  solver::Range Compute(const solver::Expr& e);
  // Whether some axes of a tensor have as many entries together, or more.
  bool IsInATensor(const solver::Expr& e);

  struct Factors {
    int64_t number = 1;
    std::vector<solver::Expr> others;  // no numbers, no products
  };
  static void Multiply(const solver::Expr& e, Factors& factors);
  // A sum without its number, in lowest terms: e = factor * sum + number.
  struct Linear {
    solver::Expr sum;
    int64_t factor = 1, number = 0;
  };
  static Linear LinearOf(const solver::Expr& e);

  absl::flat_hash_set<solver::Expr> sizes_;  // of axes
  absl::flat_hash_map<solver::Expr, Linear>
      proportional_;             // of those, by what they are multiples of
  std::vector<Factors> shapes_;  // of tensors, each once
  absl::flat_hash_map<solver::Expr, solver::Range> known_;
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_SIZE_BOUNDS_H_

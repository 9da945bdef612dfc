#include "layout/cost.h"

#include <algorithm>

#include "solver/expr.h"

namespace tessera::layout {
namespace {

// A dim that is known only at run time counts as this many, as far as its range admits.
constexpr int64_t kTypicalDim = 64;
constexpr int64_t kMostElements = int64_t{1} << 40;

int64_t TypicalSize(const ir::Expr& dim) {
  if (dim.IsConstant()) return *dim.Constant();
  const solver::Range range = solver::RangeOf(dim);
  return std::max<int64_t>(range.lo, std::min(range.hi, kTypicalDim));
}

int64_t TypicalElements(const std::vector<ir::Expr>& dims) {
  int64_t count = 1;
  for (const ir::Expr& dim : dims) {
    count = std::min(kMostElements,
                     count * std::clamp<int64_t>(TypicalSize(dim), 1, kMostElements / count));
  }
  return count;
}

}  // namespace

int64_t ElementsMoved(const Move& move) { return 16 + TypicalElements(move.dims); }

}  // namespace tessera::layout

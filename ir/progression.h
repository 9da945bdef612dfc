// Integer tensors whose elements are an affine function of the index along axes of symbolic size:
// positions, the entries of overlapping frames.
#ifndef TESSERA_IR_PROGRESSION_H_
#define TESSERA_IR_PROGRESSION_H_

#include <vector>

#include "solver/expr.h"

namespace tessera::ir {

struct Progression {
  // Over the axes of known size, row-major, at index 0 of the others. Empty for a constant of many
  // elements, of which only the extremes are kept.
  std::vector<solver::Expr> first;
  // What each entry of `first` grows by from one index to the next, one number per axis of the
  // tensor: 0 along those of known size.
  std::vector<std::vector<solver::Expr>> steps;
  // As OperandInfo::extremes.
  std::vector<solver::Expr> extremes;

  friend bool operator==(const Progression&, const Progression&) = default;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_PROGRESSION_H_

// What it costs to move a tensor in memory.
#ifndef TESSERA_LAYOUT_COST_H_
#define TESSERA_LAYOUT_COST_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/type.h"

namespace tessera::layout {

// A tensor that one operation, or the graph's inputs, yield in another order than it is read.
struct Move {
  const std::vector<ir::Expr>& dims;  // before the move
  bool from_input = false;            // of an input of the graph
  bool to_output = false;             // for an output of the graph
};

// At least 2, so that a reshape, which costs 1, is cheaper; all together fit 62 bits.
using MoveCost = std::function<int64_t(const Move& move)>;

// A constant and one for each element; a dim that is known only at run time counts as 64, as far as
// its range admits.
int64_t ElementsMoved(const Move& move);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_COST_H_

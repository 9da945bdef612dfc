// How often a loop runs whose condition counts: `i < n`, where `i` is a state that grows by one and
// `n` follows from sizes.
#ifndef TESSERA_FRONTENDS_ONNX_COUNTED_LOOP_H_
#define TESSERA_FRONTENDS_ONNX_COUNTED_LOOP_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/value.h"
#include "solver/expr.h"

namespace tessera::onnx_import {

// What one position of a loop is given, and what it makes of that.
struct LoopStep {
  const ir::Value* position = nullptr;
  std::vector<const ir::Value*> initial, states, next;  // one of each for each state
  const ir::Value* again = nullptr;                     // whether there is another position
};

// The number n such that `again` holds at position j just where j + 1 < n, for all j below n, for
// the first one in any case, and for all sizes that the facts admit; a loop that begins runs n
// times then, and once where n < 1. Nullopt: no such number is found. Where counters or sizes go
// through floats, dims for which nobody has stated a bound are bounded, for the sake of `where`
// (float_sizes.h).
std::optional<ir::Expr> CountPositions(solver::Context& context, const LoopStep& step,
                                       const std::string& where);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_COUNTED_LOOP_H_

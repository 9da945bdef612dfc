// Integers in place of floats between quantized tensors.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_USE_INTEGERS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_USE_INTEGERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {

// What became of a network with quantized tensors; nothing of one without.
struct IntegersReport {
  // An operator that is left to compute on floats.
  struct Island {
    std::string op, scope, reason;
  };
  int64_t operators = 0;  // that compute on integers
  int64_t moved = 0;      // that move them
  std::vector<Island> islands;
};

// Where floats are made of integers, computed with, and made integers again, the operator over
// integers that comes nearest: results differ from those of floats by how they are rounded, a unit
// of the last place at a time. Operators that only move elements move the integers. What stays of
// the conversions become QUANTIZE and DEQUANTIZE where anything was found. Elsewhere what becomes
// integers and floats again is rounded as a float, and the rest is left alone. With `places` what
// they do not run on integers stays on floats. `report` and `places` may be null.
absl::StatusOr<passes::PassResult> UseIntegers(ir::Graph& graph, passes::PassContext& context,
                                               IntegersReport* report,
                                               const Places* places = nullptr);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_USE_INTEGERS_H_

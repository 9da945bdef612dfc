// Circle's operators compute in f32; networks keep to it, but for islands of f64 that a stray
// constant makes, and for those of halves, whose exporters had other devices in mind.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_SINGLE_PRECISION_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_SINGLE_PRECISION_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace tessera::circle {

// Core operations on f64 become the same on f32; inputs and outputs of the graph keep their type
// and are converted. Numbers beyond f32 become its largest. An operation that cannot be built on
// f32 stays as it is. Counts operations.
absl::StatusOr<passes::PassResult> NarrowDoubles(ir::Graph& graph, passes::PassContext& context);

// The same of f16 and bf16, which hold no number that f32 does not: what lies between operations is
// not rounded to them. A graph whose operations on them are all elementwise is left alone, since
// those have forms that round as theirs do (widen.h).
absl::StatusOr<passes::PassResult> WidenHalves(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_SINGLE_PRECISION_H_

// Operations that move nothing: their results are parts of their operands, or the other way round.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_MEMORY_VIEW_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_MEMORY_VIEW_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/operation.h"
#include "solver/expr.h"

namespace tessera::npu {

// `length` elements of the result from `at` on are those of an operand from `from` on, in row-major
// order.
struct Run {
  size_t operand = 0;
  int64_t from = 0, at = 0, length = 0;
};

// In the order of the result. Empty where an element is not simply one of an operand: by the nests
// of the operation, and its kernel on elements that say where they are. The result has one element
// at least, and static dims.
absl::StatusOr<std::vector<Run>> RunsOf(const ir::Operation& op, solver::Context& context);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_MEMORY_VIEW_H_

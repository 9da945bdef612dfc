// One operation of a graph on concrete operands, its sizes at given symbols.
#ifndef TESSERA_TARGETS_REFERENCE_RUN_OPERATION_H_
#define TESSERA_TARGETS_REFERENCE_RUN_OPERATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/operation.h"
#include "solver/expr.h"
#include "targets/reference/run_op.h"

namespace tessera::reference {

// Constants too; no operation of a loop. Null: an absent operand. Errors as of RunOp.
absl::StatusOr<std::vector<ir::Tensor>> RunOperation(const ir::Operation& op,
                                                     absl::Span<const ir::Tensor* const> operands,
                                                     const solver::Assignment& assignment,
                                                     int64_t max_bytes = MaxLiveBytes());

// Error: a symbol that the assignment lacks.
absl::StatusOr<std::vector<int64_t>> DimsOf(const ir::TensorType& type,
                                            const solver::Assignment& assignment);

}  // namespace tessera::reference

#endif  // TESSERA_TARGETS_REFERENCE_RUN_OPERATION_H_

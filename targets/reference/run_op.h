// Runs one op on concrete tensors: the step of the executor and of the constant folder.
#ifndef TESSERA_TARGETS_REFERENCE_RUN_OP_H_
#define TESSERA_TARGETS_REFERENCE_RUN_OP_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/attribute.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::reference {

// A model of a kilobyte may ask for any amount of memory. This is what tensors may take together:
// the limit of the process (support/memory_limit.h), and without one 8 GiB.
int64_t MaxLiveBytes();

// Checks every constraint of the op, infers dtypes and shapes of its results, allocates and
// computes them. `inputs` in the order of operands, null for an absent optional one, trailing
// absent ones may be missing; `attrs` complete and concrete (dims are constant expressions).
// Errors: InvalidArgument or Unimplemented, `OP: constraint `ID`: ...`, ResourceExhausted (results
// larger than `max_bytes`); Internal
// if the op has no kernel. `use_fast` false: by the definition's `ref` alone.
absl::StatusOr<std::vector<ir::Tensor>> RunOp(const ir::OpInfo& info,
                                              absl::Span<const ir::Tensor* const> inputs,
                                              absl::Span<const ir::Attribute> attrs,
                                              int64_t max_bytes = MaxLiveBytes(),
                                              bool use_fast = true);

}  // namespace tessera::reference

#endif  // TESSERA_TARGETS_REFERENCE_RUN_OP_H_

// Nests executed on numbers: what the generated kernels compute, by other code.
#ifndef TESSERA_NESTS_INTERPRET_H_
#define TESSERA_NESTS_INTERPRET_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "nests/nest.h"

namespace tessera::nests {

// The results for operands of the types that the computation was built for (null where absent);
// `sizes` gives values to its symbols. An error where an index that is data lies outside its
// tensor, as a kernel has it too. One element costs microseconds: for tests and small tensors.
absl::StatusOr<std::vector<ir::Tensor>> Interpret(const Computation& computation,
                                                  absl::Span<const ir::Tensor* const> operands,
                                                  const solver::Assignment& sizes = {});

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_INTERPRET_H_

// Work on all cores.
#ifndef TESSERA_SUPPORT_PARALLEL_H_
#define TESSERA_SUPPORT_PARALLEL_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tessera::support {

// Calls `body` once with each number below `count`, on as many threads as there are cores (this one
// among them), and returns when all have ended. Results must not depend on how many threads there
// are: who adds up does so afterwards, in the order of the numbers. The error is that of the least
// number which has one; those above it may not have been called. Within `body`, calls of this go
// on in the same thread.
absl::Status ForEachInParallel(size_t count, absl::FunctionRef<absl::Status(size_t)> body);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_PARALLEL_H_

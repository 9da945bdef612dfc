// Constants that are folded as they are read: what goes straight into an artifact is put into
// another order and scaled on the way, and never lies in memory a second time.
#ifndef TESSERA_PASSES_DEFERRED_H_
#define TESSERA_PASSES_DEFERRED_H_

#include <optional>

#include "ir/operation.h"
#include "ir/tensor.h"

namespace tessera::passes {

// The one result of an operation on large constants that only moves elements (a reshape, a
// transposition) or takes them one by one; of the former nothing is copied, of the latter nothing
// computed yet. nullopt: `op` is none, or it costs nothing to compute it.
std::optional<ir::Tensor> FoldLater(const ir::Operation& op);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_DEFERRED_H_

// Tensors that are computed element by element as they are read.
#ifndef TESSERA_PASSES_ELEMENTWISE_BYTES_H_
#define TESSERA_PASSES_ELEMENTWISE_BYTES_H_

#include <optional>

#include "ir/operation.h"
#include "ir/tensor.h"
#include "layout/permutation.h"

namespace tessera::passes {

// The one result of an elementwise operation on large constants of floats; nullopt: `op` is no such
// operation.
std::optional<ir::Tensor> ElementwiseLater(const ir::Operation& op);

// T(tensor, order) of one that `ElementwiseLater` made: the same operation on operands that are in
// that order; nullopt: it is another.
std::optional<ir::Tensor> ElementwiseOfTransposed(const ir::Tensor& tensor,
                                                  const layout::Permutation& order);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_ELEMENTWISE_BYTES_H_

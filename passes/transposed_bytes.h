// Tensors in another order of axes, put into it as they are read.
#ifndef TESSERA_PASSES_TRANSPOSED_BYTES_H_
#define TESSERA_PASSES_TRANSPOSED_BYTES_H_

#include "ir/tensor.h"
#include "layout/permutation.h"

namespace tessera::passes {

// T(base, order). Of one that is in another order itself nothing is made in between.
ir::Tensor TransposedLater(const ir::Tensor& base, const layout::Permutation& order);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_TRANSPOSED_BYTES_H_

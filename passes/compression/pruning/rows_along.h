// Some of a tensor's positions, with all that an axis has there.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_ROWS_ALONG_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_ROWS_ALONG_H_

#include <cstdint>

#include "ir/tensor.h"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// Vectors along an axis of an f32 tensor, a row each, at most `most` spread over all of them.
Matrix RowsAlong(const ir::Tensor& tensor, int64_t axis, int64_t most);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_ROWS_ALONG_H_

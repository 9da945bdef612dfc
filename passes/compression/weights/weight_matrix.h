// The weights of a product as a matrix: a row per channel of the result, a column per input.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_MATRIX_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_MATRIX_H_

#include <cstdint>

#include "ir/tensor.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// How the elements of a constant make up such a matrix: `axis` is that of the channels, all others
// together are the inputs, in row-major order.
class MatrixLayout {
 public:
  MatrixLayout(absl::Span<const int64_t> shape, int64_t axis) : along_(Along::Axis(shape, axis)) {}

  int64_t rows() const { return along_.n; }
  int64_t inputs() const { return along_.outer * along_.inner; }
  int64_t IndexOf(int64_t row, int64_t input) const {
    return (input / along_.inner * along_.n + row) * along_.inner + input % along_.inner;
  }

  // Of an f32 constant.
  Matrix Read(const ir::Tensor& constant) const;

 private:
  Along along_;
};

// Codes as the algorithm asks for them: i32 (of levels: what they stand for, f32), of the
// constant's shape, on a grid with a scale per channel (where a group is a whole row) or per group
// along `input_axis`, of which there is one.
struct StoredCodes {
  Grid grid;
  ir::Tensor codes;
};
StoredCodes Stored(const GroupedCodes& codes, const GroupedScheme& scheme,
                   absl::Span<const int64_t> shape, int64_t axis);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_MATRIX_H_

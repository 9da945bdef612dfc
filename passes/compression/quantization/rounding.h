// Numbers on a grid.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_ROUNDING_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_ROUNDING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "passes/compression/command.h"

namespace tessera::compression {

// How the elements of a tensor lie along an axis: index = (outer * n + entry) * inner + i. One
// entry for axis -1.
struct Along {
  int64_t outer = 1, n = 1, inner = 1;
  static Along Axis(absl::Span<const int64_t> shape, int64_t axis);
};

// Codes that a type stores: [low, high].
struct Codes {
  int64_t low, high;
  static Codes Of(ir::DType storage);
};

// ONNX's QuantizeLinear: round(x / scale) to even, plus the zero point, saturated. f32 in, i32 out.
ir::Tensor CodesOf(const ir::Tensor& x, const Grid& grid);
// ONNX's DequantizeLinear: (code - zero point) * scale, in f32. Of i32 codes.
ir::Tensor NumbersOf(const ir::Tensor& codes, const Grid& grid);
// Both. Also counts what saturates, where asked.
ir::Tensor OnGrid(const ir::Tensor& x, const Grid& grid, int64_t* saturated = nullptr);
// On the grid that DynamicQuantizeLinear gives it: u8 over its range and 0. What is 0 alone, or not
// finite, stays as it is.
ir::Tensor OnItsOwnGrid(const ir::Tensor& x);

// One scale for all: of least and most, 0 included (it is always a code), the zero point integral.
// Symmetric: zero point 0 (of an unsigned type the middle, or 0 if nothing is negative).
Grid GridOf(double least, double most, ir::DType storage, bool symmetric);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_ROUNDING_H_

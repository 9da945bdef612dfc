// A product of a network as rows of numbers that meet weights. What they are is asked of the
// operation itself: given unit weights, it returns what weights would multiply.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_SHAPE_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_SHAPE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/quantization/plan.h"
#include "solver/expr.h"

namespace tessera::compression {

struct ProductShape {
  // Of what one sample's rows may take.
  static constexpr int64_t kMostBytes = int64_t{512} << 20;

  std::vector<int64_t> dims;  // of the operand that has the weights
  int64_t axis = 0, result_axis = 0;
  int64_t channels = 0, weights = 0;  // of the axis; of each
  int64_t groups = 1;                 // of channels, each of which meets its own data
  ir::Tensor places;                  // i32, of the operand: which element of the constant it is

  // Element of the constant that weight `j` of channel `c` of group `g` is.
  int64_t Place(int64_t g, int64_t c, int64_t j) const;
};

// Unimplemented: attributes or constants between that are not known.
absl::StatusOr<ProductShape> ShapeOf(const WeightSite& site, const solver::Assignment& assignment);

// What the operation reads there if the constant is this.
absl::StatusOr<ir::Tensor> ReadThrough(const WeightSite& site, ir::Tensor constant,
                                       const solver::Assignment& assignment);

// The operation's result with unit weights and no bias: entry g * weights + j of the result's axis
// is what weight j of group g's channels meets. `data` is the operand that it multiplies.
absl::StatusOr<ir::Tensor> WhatWeightsMeet(const WeightSite& site, const ProductShape& shape,
                                           const ir::Tensor& data,
                                           const solver::Assignment& assignment);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_SHAPE_H_

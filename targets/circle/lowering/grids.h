// Constants of floats that are multiples of a scale: what a quantized network holds once its
// integers have been multiplied out.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_GRIDS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_GRIDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/tensor.h"

namespace tessera::circle {

// Element i is codes[i] * scale[c] within a few units of its last place; c is the entry of an axis,
// or 0.
struct Grid {
  std::vector<float> scale;
  std::vector<int64_t> codes;  // row-major
};

// With codes from -most to most; the largest of them as large as can be, so that what is measured
// in these scales is measured finely. `axis` -1: one scale for all. nullopt: the elements have no
// such scale, or are not finite.
std::optional<Grid> GridOf(const ir::Tensor& constant, int64_t axis, int64_t most);

// The integers that stand for the elements on a given grid, in their dtype; nullopt where one of
// them is not on it.
std::optional<ir::Tensor> CodesOf(const ir::Tensor& constant, double scale, int64_t zero_point,
                                  ir::DType dtype);

// What quantizing makes of the elements: halves to even, saturated to the dtype of 8 or 16 bits.
ir::Tensor SaturatedCodesOf(const ir::Tensor& constant, double scale, int64_t zero_point,
                            ir::DType dtype);

// Integers as a tensor of that type, which has at most 32 bits or is i64.
ir::Tensor StoreCodes(const std::vector<int64_t>& codes, std::vector<int64_t> shape,
                      ir::DType dtype);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_GRIDS_H_

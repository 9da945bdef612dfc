// Scales of weights: of all that could be, the one that leaves the least error. Weights that lie on
// a grid of their own (quantized once, pruned, shared) are met exactly.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_SCALES_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_SCALES_H_

#include <cstdint>

#include "ir/tensor.h"
#include "passes/compression/command.h"

namespace tessera::compression {

struct WeightScheme {
  ir::DType storage = ir::DType::kI8;
  bool symmetric = true;    // zero points are 0, and the lowest code is not used
  int64_t axis = -1;        // with a scale per entry; -1: one for all
  bool search = true;       // else the scale that just holds the largest weight
  bool zeros_stay = false;  // of weights that are chosen by results: what is 0 becomes nothing else
};

// `weight` is f32.
Grid ChooseWeightGrid(const ir::Tensor& weight, const WeightScheme& scheme);

// Sum of squared differences between `weight` and what the grid makes of it.
double WeightError(const ir::Tensor& weight, const Grid& grid);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_SCALES_H_

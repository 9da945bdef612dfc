// Which weights of a network become zero.
#ifndef TESSERA_PASSES_COMPRESSION_SPARSITY_MASKS_H_
#define TESSERA_PASSES_COMPRESSION_SPARSITY_MASKS_H_

#include <cstdint>
#include <vector>

#include "passes/compression/weights/refitted.h"

namespace tessera::compression {

// Of each matrix `level` (0 .. 1) of the elements go, the smallest ones; of equal ones the first.
std::vector<Mask> LocalMasks(const std::vector<Matrix>& weights, double level);
// Of all matrices together. `normed`: each element is judged by its part of its matrix's norm.
std::vector<Mask> GlobalMasks(const std::vector<Matrix>& weights, double level, bool normed);
// Inputs `stride` apart are neighbours (of a convolution the channels at one place of its window),
// `count` of them (of a stack of matrices the inputs of one); 0: all that there are.
struct Neighbours {
  int64_t stride = 1, count = 0;
};
// Of every `of` neighbouring inputs the `keep` largest stay; what is left over at the end is a
// shorter group, of which as many stay.
Mask PatternMask(const Matrix& weights, int64_t keep, int64_t of, const Neighbours& neighbours);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SPARSITY_MASKS_H_

// Reordering of axes by block copies and tiled two-dimensional transpositions.
#ifndef TESSERA_KERNELS_TRANSPOSE_H_
#define TESSERA_KERNELS_TRANSPOSE_H_

#include <cstdint>
#include <span>

namespace tessera::kernels {

// Axis d of `target` is axis perm[d] of `source`, both row-major. `dims` are those of the source,
// `perm` names each of its axes once, elements have 1, 2, 4 or 8 bytes. Neither pointer need be
// aligned: weights in a file are not, and a copy that is aligned would cost as much as the
// transposition.
void Transpose(std::span<const int64_t> dims, std::span<const int64_t> perm, size_t element_bytes,
               const uint8_t* source, uint8_t* target);

// `count` elements of the same result, from the `first` on.
void TransposeRange(std::span<const int64_t> dims, std::span<const int64_t> perm,
                    size_t element_bytes, const uint8_t* source, int64_t first, int64_t count,
                    uint8_t* target);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_TRANSPOSE_H_

// Weights that make up for what the layers before them, or they themselves, have lost.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_REFITTED_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_REFITTED_H_

#include <vector>

#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// The weights that come nearest to yielding, from the inputs x' that a compressed network has, what
// `weight` does from x: argmin |w' x' - w x|^2 with a little of |w' - w|^2. `inputs` is the sum of
// x' x'^T, `crossed` that of x x'^T.
Matrix Refitted(const Matrix& weight, const Matrix& inputs, const Matrix& crossed);

// By element of a matrix, row-major: whether it stays.
using Mask = std::vector<bool>;
// Those that are not 0.
Mask NotZero(const Matrix& weights);

// The elements that stay, fitted so that products change least: argmin over them of
// tr (w - wanted) square (w - wanted)^T. Never worse than leaving them.
Matrix RefittedKept(const Matrix& wanted, const Matrix& square, const Mask& mask);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_REFITTED_H_

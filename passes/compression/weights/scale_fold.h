// Factors of a value's channels, taken into the constants of the operations that make it.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_SCALE_FOLD_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_SCALE_FOLD_H_

#include <utility>
#include <vector>

#include "passes/compression/builder.h"
#include "solver/expr.h"

namespace tessera::compression {

// What the constants become, by the points at which nodes read them, so that each entry of the last
// axis of the value is multiplied by its factor (a gain and what is added behind it; a bound of 0
// in between). Whether operations let factors through, or take them in, is asked of themselves.
// Empty: they do not, or others read what stands in between.
std::vector<std::pair<Point, ir::Tensor>> FoldedFactors(const BuildContext& context,
                                                        const ir::Value& value,
                                                        const std::vector<double>& factors,
                                                        const solver::Assignment& assignment);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_SCALE_FOLD_H_

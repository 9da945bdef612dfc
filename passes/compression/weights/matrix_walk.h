// The products of a network with constant matrices, in order of computation: what each reads on
// samples, exactly and by now, so that its weights can be chosen anew with regard to that.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_MATRIX_WALK_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_MATRIX_WALK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/calibration/sample_source.h"
#include "passes/compression/weights/grouped_rounding.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {

struct MatrixInputs {
  // What the weights should be: those that make up, as far as weights can, for what the layers
  // before have become.
  Matrix wanted;
  Matrix square;  // sum of x x^T over what the product reads by now
};

// Sums over more inputs than this take too long and too much.
constexpr int64_t kMostInputs = 4096;

// Calls `choose` for each target, in order of computation, which returns what the weights (a row
// per channel) are from there on. `inputs` is null for what is no product with a matrix of at most
// `kMostInputs` inputs. Errors: as of running the network on the context's samples; what a matrix
// multiplies is not finite. Unimplemented: the network has loops.
using ChooseWeights =
    absl::FunctionRef<Matrix(const WeightTarget& target, const MatrixInputs* inputs)>;
absl::Status WalkMatrices(const BuildContext& context, size_t most,
                          const std::vector<const WeightTarget*>& targets, ChooseWeights choose);

// 10 log10 of the energy of results over that of their error, at most 200.
double SignalToNoise(const MatrixInputs& inputs, const Matrix& numbers);

// The constant of a target, a row per channel.
Matrix WeightsOf(const WeightTarget& target);

// The mean square of each input of the products with a matrix, by target. Errors: likewise.
absl::StatusOr<std::map<const WeightTarget*, std::vector<double>>> InputPowers(
    const BuildContext& context, const calibration::SampleSource& samples,
    const std::vector<WeightTarget>& targets);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_MATRIX_WALK_H_

// Weights on grids of a few bits with a scale (and a zero point) per group of neighbours.
//
// Of a product y = w x over K inputs, `inputs` is the sum of x x^T over calibration data; the error
// of a row d = w' - w is then d^T inputs d. Codes are rounded one after the other, each error made
// up for by the weights that follow (GPTQ: Frantar et al., 2022); then, in turns, scales are fitted
// to codes by least squares over all groups of a row at once, codes to scales one by one, and zero
// points moved by one, until nothing gets better. Every turn lowers the error, or changes nothing.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUPED_ROUNDING_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUPED_ROUNDING_H_

#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "passes/compression/weights/group_grid.h"

namespace tessera::compression {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct GroupedCodes {
  int64_t rows = 0, inputs = 0, groups = 0;
  std::vector<int> codes;        // [rows, inputs]
  std::vector<float> scales;     // [rows, groups]
  std::vector<int> zero_points;  // [rows, groups]
  double error = 0;              // sum over rows of d^T inputs d; without data of d^T d
};

// Of the mean of the diagonal of `inputs`: what is added to it.
inline constexpr double kInputsDamping = 1e-3;

// Without data: every weight counts the same. `weight` is [rows, K].
GroupedCodes RoundGrouped(const Matrix& weight, const GroupedScheme& scheme);
// `inputs` is [K, K], symmetric and positive semi-definite. A little of its diagonal is added, so
// that what no sample shows stays as it is.
GroupedCodes RoundGrouped(const Matrix& weight, const Matrix& inputs, const GroupedScheme& scheme);

// What the codes stand for: (code - zero point) * scale.
Matrix NumbersOf(const GroupedCodes& codes, const GroupedScheme& scheme);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUPED_ROUNDING_H_

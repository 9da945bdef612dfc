// Least squares: weights that yield results y from features x.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_

#include <cstdint>

#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

class LinearFit {
 public:
  LinearFit(int64_t results, int64_t features)
      : square_(Matrix::Zero(features, features)), crossed_(Matrix::Zero(results, features)) {}

  // A row per observation: x is [n, features], y [n, results].
  void Add(const Matrix& x, const Matrix& y);
  void Add(const LinearFit& other);

  // [results, features]: least squared error, with a penalty on how far the first `damped` columns
  // move from `prior`: `damping` times the mean square of these features.
  Matrix Fitted(const Matrix& prior, double damping, int64_t damped) const;
  // Squared error of weights on what was added.
  double Error(const Matrix& weights) const;

 private:
  Matrix square_, crossed_;  // x x^T, y x^T
  double energy_ = 0;        // |y|^2
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_

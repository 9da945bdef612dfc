// Least squares: weights that yield results y from features x.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_

#include <cstdint>

#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// Of fewer observations than features it keeps these, and solves as many equations as they are; of
// more it keeps sums.
class LinearFit {
 public:
  LinearFit(int64_t results, int64_t features) : results_(results), features_(features) {}

  // A row per observation: x is [n, features], y [n, results]; of floats. Best many at once.
  void Add(const Matrix& x, const Matrix& y);
  void Add(const LinearFit& other);

  // [results, features]: least squared error, with a penalty on how far the first `damped` columns
  // move from `prior`: `damping` times the mean square of these features.
  Matrix Fitted(const Matrix& prior, double damping, int64_t damped) const;
  // Squared error of weights on what was added.
  double Error(const Matrix& weights) const;

 private:
  bool HasSums() const { return square_.size() > 0; }
  void StartSums();  // of what is kept, if they have not
  void Sum(const Matrix& x, const Matrix& y);

  int64_t results_, features_;
  Matrix x_, y_;             // while there are no sums
  Matrix square_, crossed_;  // x^T x, of which the lower triangle means something; y^T x
  double energy_ = 0;        // |y|^2
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_LINEAR_FIT_H_

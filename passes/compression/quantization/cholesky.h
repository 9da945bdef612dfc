// Systems of linear equations of which there are thousands, with products in kernels/product.h: the
// same bits on each processor, whatever it can do at once.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHOLESKY_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHOLESKY_H_

#include <Eigen/Core>

namespace tessera::compression {

// Of the lower triangle of a symmetric matrix its factor L, lower too, with L L' = the matrix; in
// its place. What is above the diagonal is not read, and holds nothing of use afterwards; nor does
// the matrix if the answer is false: it is not positive definite as far as floats can tell.
bool Factorize(Eigen::MatrixXf& matrix);

// X of L L' X = B, in the place of B; L as above.
void SolveFactorized(const Eigen::MatrixXf& factor, Eigen::MatrixXf& b);

// lower += a' a, of the lower triangle; what is above the diagonal holds nothing of use.
void AddMoments(const Eigen::Ref<
                    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>& a,
                Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& lower);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHOLESKY_H_

// Matrix products whose sums are rounded once.
#ifndef TESSERA_KERNELS_PRODUCT_H_
#define TESSERA_KERNELS_PRODUCT_H_

#include <cstdint>
#include <type_traits>

#include "Eigen/Core"

namespace tessera::kernels {

// Where the elements of a matrix are: that of row i and column j at data[i * row + j * column].
template <class T>
struct Strided {
  T* data;
  int64_t row, column;
};

// What a processor computes with at once: SSE2; AVX2 and FMA; AVX-512.
enum class Registers { kNarrow, kWide, kWidest };

// Of this processor.
Registers WidestRegisters();

// result = a b, of `rows` by `inner` and `inner` by `columns`. Each sum is made in the order of the
// inner axis, of doubles, which the product of two floats always is: the same bits on each
// processor, whatever it can do at once.
void MultiplyFloats(int64_t rows, int64_t inner, int64_t columns, Strided<const float> a,
                    Strided<const float> b, Strided<float> result,
                    Registers registers = WidestRegisters());

// result = a b. Floats are multiplied and summed as doubles: two orders of summation (that of the
// axes of a network, that of a target's) then round to the same floats but for one in some million,
// and what is discontinuous behind them, a quantization, sees no difference.
template <class Left, class Right, class Result>
void AssignProduct(const Left& a, const Right& b, Result&& result) {
  if constexpr (std::is_same_v<typename Left::Scalar, float>) {
    MultiplyFloats(a.rows(), a.cols(), b.cols(), {a.data(), a.rowStride(), a.colStride()},
                   {b.data(), b.rowStride(), b.colStride()},
                   {result.data(), result.rowStride(), result.colStride()});
  } else {
    result.noalias() = a * b;
  }
}

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_PRODUCT_H_

// What the fast kernels of the device's operations share: element types, saturation, weighted sums.
#ifndef TESSERA_TARGETS_NPU_OPS_ARITHMETIC_H_
#define TESSERA_TARGETS_NPU_OPS_ARITHMETIC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::ops::npu {

// `run` with a value of the C++ type that `dtype` (i8, i16 or i32) is.
template <class Run>
void WithType(ir::DType dtype, Run run) {
  if (dtype == ir::DType::kI8) return run(int8_t{});
  if (dtype == ir::DType::kI16) return run(int16_t{});
  run(int32_t{});
}

// What two dtypes of i8 and i16 are: the loops over products are worth a type of their own.
template <class Run>
void WithTypes(ir::DType a, ir::DType b, Run run) {
  if (a == ir::DType::kI8 && b == ir::DType::kI8) return run(int8_t{}, int8_t{});
  if (a == ir::DType::kI8) return run(int8_t{}, int16_t{});
  if (b == ir::DType::kI8) return run(int16_t{}, int8_t{});
  run(int16_t{}, int16_t{});
}

// v within the range of T; counts what is not.
template <class T>
T Saturate(int64_t v, int64_t& saturations) {
  const int64_t within =
      std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  if (within != v) ++saturations;
  return static_cast<T>(within);
}

// Null: absent.
inline const ir::Tensor* Given(const ir::KernelArgs& args, size_t operand) {
  return operand < args.inputs.size() ? args.inputs[operand] : nullptr;
}

template <class X, class W>
int64_t Dot(const X* x, const W* w, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += int64_t{x[i]} * int64_t{w[i]};
  return sum;
}

// One row of weights over `vectors` columns of `inputs` elements. `sums` holds the bias of each,
// and gets what the device holds in the end: it saturates at each fill of its buffer.
template <class X, class W>
void WeightedRow(const X* x, const W* w, int64_t inputs, int64_t vectors, int64_t buffer,
                 int64_t multiplier, std::vector<int64_t>& sums, int64_t& saturations) {
  std::vector<int64_t> fill(static_cast<size_t>(vectors));
  for (int64_t begin = 0; begin < inputs; begin += buffer) {
    const int64_t end = std::min(inputs, begin + buffer);
    if (vectors == 1) {
      fill[0] = Dot(x + begin, w + begin, end - begin);
    } else {
      std::fill(fill.begin(), fill.end(), 0);
      for (int64_t k = begin; k < end; ++k) {
        const X* row = x + k * vectors;
        for (size_t n = 0; n < fill.size(); ++n) fill[n] += int64_t{w[k]} * int64_t{row[n]};
      }
    }
    for (size_t n = 0; n < fill.size(); ++n)
      sums[n] = Saturate<int32_t>(sums[n] + multiplier * fill[n], saturations);
  }
}

}  // namespace tessera::ops::npu

#endif  // TESSERA_TARGETS_NPU_OPS_ARITHMETIC_H_

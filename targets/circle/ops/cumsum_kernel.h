// CUMSUM with one addition per element.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_CUMSUM_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_CUMSUM_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"

namespace tessera::ops {

namespace cumsum_internal {

// Sums of floats are kept in double.
template <class T, class Sum, class Shape>
void Run(const Shape& s, const ir::KernelArgs& args) {
  const int64_t axis = s.axes[0];
  const int64_t n = s.X[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < s.X.size(); ++d) inner *= s.X[d];
  const int64_t lines = n == 0 ? 0 : args.outputs[0].size() / n;
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t start = line / inner * n * inner + line % inner;
    Sum sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = start + (s.reverse ? n - 1 - k : k) * inner;
      const Sum next = sum + static_cast<Sum>(args.inputs[0]->data<T>()[at]);
      args.outputs[0].mutable_data<T>()[at] = static_cast<T>(s.exclusive ? sum : next);
      sum = next;
    }
  }
}

}  // namespace cumsum_internal

template <class Shape>
bool CircleCumsumFast(const Shape& s, const ir::KernelArgs& args) {
  switch (s.T) {
    case ir::DType::kF32:
      cumsum_internal::Run<float, double>(s, args);
      return true;
    case ir::DType::kI32:
      cumsum_internal::Run<uint32_t, uint32_t>(s, args);
      return true;
    case ir::DType::kI64:
      cumsum_internal::Run<uint64_t, uint64_t>(s, args);
      return true;
    default:
      return false;
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_CUMSUM_KERNEL_H_

// ARG_MAX and ARG_MIN: the first position wins.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_ARG_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_ARG_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"

namespace tessera::ops {

namespace arg_internal {

template <class T, class Before, class Shape>
bool Arg(const Shape& s, const ir::KernelArgs& args, Before before) {
  const T* x = args.inputs[0]->data<T>();
  ir::Tensor& result = args.outputs[0];
  const int64_t axis = s.axes[0];
  const int64_t n = s.X[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < s.X.size(); ++d) inner *= s.X[d];
  for (int64_t i = 0; i < result.size(); ++i) {
    const T* row = x + i / inner * n * inner + i % inner;
    int64_t best = 0;
    for (int64_t k = 1; k < n; ++k) {
      if (before(row[k * inner], row[best * inner])) best = k;
    }
    if (result.dtype() == ir::DType::kI64) {
      result.mutable_data<int64_t>()[i] = best;
    } else {
      result.mutable_data<int32_t>()[i] = static_cast<int32_t>(best);
    }
  }
  return true;
}

template <class Before, class Shape>
bool Dispatch(const Shape& s, const ir::KernelArgs& args, Before before) {
  switch (s.T) {
    case ir::DType::kF32:
      return Arg<float>(s, args, before);
    case ir::DType::kI32:
      return Arg<int32_t>(s, args, before);
    default:
      return Arg<int64_t>(s, args, before);
  }
}

}  // namespace arg_internal

template <class Shape>
bool CircleArgMaxFast(const Shape& s, const ir::KernelArgs& args) {
  return arg_internal::Dispatch(s, args, [](auto a, auto b) { return a > b; });
}
template <class Shape>
bool CircleArgMinFast(const Shape& s, const ir::KernelArgs& args) {
  return arg_internal::Dispatch(s, args, [](auto a, auto b) { return a < b; });
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_ARG_KERNEL_H_

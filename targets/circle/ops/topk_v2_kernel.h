#ifndef TESSERA_TARGETS_CIRCLE_OPS_TOPK_V2_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_TOPK_V2_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ir/op_info.h"

namespace tessera::ops {

namespace topk_v2_internal {

template <class T, class Shape>
bool Top(const Shape& s, const ir::KernelArgs& args) {
  if (s.N == 0 || s.K == 0) return true;
  const int64_t rows = args.inputs[0]->size() / s.N;
  std::vector<int32_t> order(static_cast<size_t>(s.N));
  for (int64_t row = 0; row < rows; ++row) {
    const T* x = args.inputs[0]->data<T>() + row * s.N;
    std::iota(order.begin(), order.end(), 0);
    // A NaN comes behind every number, so that this is a strict weak order.
    std::partial_sort(order.begin(), order.begin() + s.K, order.end(), [x](int32_t a, int32_t b) {
      const bool nan_a = x[a] != x[a], nan_b = x[b] != x[b];
      if (nan_a != nan_b) return nan_b;
      return !nan_a && x[a] != x[b] ? x[a] > x[b] : a < b;
    });
    for (int64_t k = 0; k < s.K; ++k) {
      const int32_t at = order[static_cast<size_t>(k)];
      args.outputs[0].mutable_data<T>()[row * s.K + k] = x[at];
      args.outputs[1].mutable_data<int32_t>()[row * s.K + k] = at;
    }
  }
  return true;
}

}  // namespace topk_v2_internal

template <class Shape>
bool CircleTopkV2Fast(const Shape& s, const ir::KernelArgs& args) {
  switch (s.T) {
    case ir::DType::kF32:
      return topk_v2_internal::Top<float>(s, args);
    case ir::DType::kI32:
      return topk_v2_internal::Top<int32_t>(s, args);
    default:
      return topk_v2_internal::Top<int64_t>(s, args);
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_TOPK_V2_KERNEL_H_

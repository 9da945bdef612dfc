#ifndef TESSERA_TARGETS_CIRCLE_OPS_SCATTER_ND_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_SCATTER_ND_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"

namespace tessera::ops {

namespace scatter_nd_internal {

template <class T, class Shape>
bool Scatter(const Shape& s, const ir::KernelArgs& args) {
  const int32_t* indices = args.inputs[0]->data<int32_t>();
  const T* updates = args.inputs[1]->data<T>();
  T* result = args.outputs[0].mutable_data<T>();  // zero-filled
  int64_t rows = 1, slice = 1;
  for (int64_t d : s.D) rows *= d;
  for (size_t d = static_cast<size_t>(s.n); d < s.Y.size(); ++d) slice *= s.Y[d];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = 0;
    for (int64_t k = 0; k < s.n; ++k) {
      const int64_t index = indices[row * s.n + k];
      const int64_t dim = s.Y[static_cast<size_t>(k)];
      if (index < 0 || index >= dim) return false;  // the definition says what is wrong with it
      offset = offset * dim + index;
    }
    for (int64_t i = 0; i < slice; ++i) result[offset * slice + i] += updates[row * slice + i];
  }
  return true;
}

}  // namespace scatter_nd_internal

template <class Shape>
bool CircleScatterNdFast(const Shape& s, const ir::KernelArgs& args) {
  switch (s.T) {
    case ir::DType::kF32:
      return scatter_nd_internal::Scatter<float>(s, args);
    case ir::DType::kI32:
      return scatter_nd_internal::Scatter<uint32_t>(s, args);  // wraps
    default:
      return scatter_nd_internal::Scatter<uint64_t>(s, args);
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_SCATTER_ND_KERNEL_H_

// TRANSPOSE as block copies and tiled two-dimensional transpositions.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/op_info.h"

namespace tessera::ops {

namespace transpose_internal {

struct Axis {
  int64_t size, source_stride, target_stride;  // in elements
};

// The axes of the result that have more than one element, neighbours that stay neighbours merged.
inline std::vector<Axis> MergedAxes(const std::vector<int64_t>& dims,
                                    const std::vector<int64_t>& perm) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  std::vector<Axis> axes;
  int64_t target_stride = 1;
  for (size_t d = perm.size(); d-- > 0;) {
    const Axis axis{dims[static_cast<size_t>(perm[d])], strides[static_cast<size_t>(perm[d])],
                    target_stride};
    target_stride *= axis.size;
    if (axis.size == 1) continue;
    if (!axes.empty() && axis.source_stride == axes.back().source_stride * axes.back().size) {
      axes.back().size *= axis.size;
    } else {
      axes.push_back(axis);
    }
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

// The innermost axis of the result against the axis that is innermost in the source.
template <class T>
void Plane(const Axis& row, const Axis& column, const T* source, T* target) {
  constexpr int64_t kTile = 16;
  for (int64_t r = 0; r < row.size; r += kTile) {
    const int64_t r_end = std::min(r + kTile, row.size);
    for (int64_t c = 0; c < column.size; c += kTile) {
      const int64_t c_end = std::min(c + kTile, column.size);
      for (int64_t i = r; i < r_end; ++i) {
        for (int64_t j = c; j < c_end; ++j) {
          target[i * row.target_stride + j * column.target_stride] =
              source[i * row.source_stride + j * column.source_stride];
        }
      }
    }
  }
}

template <class T>
void Permute(const std::vector<Axis>& axes, const T* source, T* target) {
  if (axes.empty()) {
    *target = *source;
    return;
  }
  // Two axes are left to `Plane`: the innermost of the result and the innermost of the source.
  std::vector<Axis> outer = axes;
  const Axis column = outer.back();
  outer.pop_back();
  Axis row{1, 0, 0};
  const bool block = column.source_stride == 1;
  if (!block && !outer.empty()) {
    const auto innermost = std::min_element(
        outer.begin(), outer.end(),
        [](const Axis& a, const Axis& b) { return a.source_stride < b.source_stride; });
    row = *innermost;
    outer.erase(innermost);
  }
  std::vector<int64_t> index(outer.size(), 0);
  for (;;) {
    int64_t from = 0, to = 0;
    for (size_t d = 0; d < outer.size(); ++d) {
      from += index[d] * outer[d].source_stride;
      to += index[d] * outer[d].target_stride;
    }
    if (block) {
      std::memcpy(target + to, source + from, static_cast<size_t>(column.size) * sizeof(T));
    } else {
      Plane(row, column, source + from, target + to);
    }
    size_t d = outer.size();
    while (d > 0 && ++index[d - 1] == outer[d - 1].size) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace transpose_internal

template <class Shape>
bool CircleTransposeFast(const Shape& s, const ir::KernelArgs& args) {
  if (args.outputs[0].size() == 0) return true;
  const std::vector<transpose_internal::Axis> axes = transpose_internal::MergedAxes(s.X, s.p);
  const ir::Tensor& source = *args.inputs[0];
  ir::Tensor& target = args.outputs[0];
  switch (ir::SizeOf(source.dtype())) {
    case 1:
      transpose_internal::Permute(axes, source.data<uint8_t>(), target.mutable_data<uint8_t>());
      return true;
    case 2:
      transpose_internal::Permute(axes, source.data<uint16_t>(), target.mutable_data<uint16_t>());
      return true;
    case 4:
      transpose_internal::Permute(axes, source.data<uint32_t>(), target.mutable_data<uint32_t>());
      return true;
    case 8:
      transpose_internal::Permute(axes, source.data<uint64_t>(), target.mutable_data<uint64_t>());
      return true;
    default:
      return false;
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_

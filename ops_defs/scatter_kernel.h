// ScatterElements and ScatterND: a copy of x, then one update after the other.
#ifndef TESSERA_OPS_DEFS_SCATTER_KERNEL_H_
#define TESSERA_OPS_DEFS_SCATTER_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

// In the order of `enum {none, add, mul, min, max}`.
template <class T>
T Scattered(int64_t reduction, T old, T update) {
  switch (reduction) {
    case 1:
      return kernels::Add(old, update);
    case 2:
      return kernels::Mul(old, update);
    case 3:
      return kernels::Min(old, update);
    case 4:
      return kernels::Max(old, update);
    default:
      return update;
  }
}

// Both leave an index that is nowhere to the definition, which says what is wrong with it.
template <class Shape>
bool ScatterElementsFast(const Shape& s, const ir::KernelArgs& args) {
  const absl::Status status = InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    const int64_t* indices = io.template Read<int64_t>(1);
    const T* updates = io.template Read<T>(2);
    T* y = io.template Write<T>(0);
    if (!io.status().ok()) return io.status();
    std::copy(x, x + kernels::Count(s.X), y);
    const std::vector<int64_t> strides = kernels::Strides(s.X);
    const size_t axis = static_cast<size_t>(s.axis);
    for (kernels::Odometer at(s.D); !at.done(); at.Next()) {
      const int64_t index = indices[at.linear()];
      const int64_t wrapped = index < 0 ? index + s.X[axis] : index;
      if (wrapped < 0 || wrapped >= s.X[axis]) return kernels::IndexOutOfRange(index, s.X[axis]);
      const int64_t offset = kernels::Offset(at.index().data(), strides.data(), strides.size()) +
                             (wrapped - at[axis]) * strides[axis];
      y[offset] = Scattered(s.reduction, y[offset], updates[at.linear()]);
    }
    io.Finish();
    return absl::OkStatus();
  });
  return status.ok();
}

template <class Shape>
bool ScatterNDFast(const Shape& s, const ir::KernelArgs& args) {
  bool inside = true;
  const absl::Status status = InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    const int64_t* indices = io.template Read<int64_t>(1);
    const T* updates = io.template Read<T>(2);
    T* y = io.template Write<T>(0);
    if (!io.status().ok()) return io.status();
    std::copy(x, x + kernels::Count(s.X), y);
    const std::vector<int64_t> strides = kernels::Strides(s.X);
    int64_t slice = 1;
    for (size_t d = static_cast<size_t>(s.depth); d < s.X.size(); ++d) slice *= s.X[d];
    const int64_t tuples = kernels::Count(s.D);
    for (int64_t tuple = 0; tuple < tuples; ++tuple) {
      int64_t offset = 0;
      for (int64_t k = 0; k < s.depth; ++k) {
        const int64_t size = s.X[static_cast<size_t>(k)];
        const int64_t index = indices[tuple * s.depth + k];
        const int64_t wrapped = index < 0 ? index + size : index;
        inside = inside && wrapped >= 0 && wrapped < size;
        offset += wrapped * strides[static_cast<size_t>(k)];
      }
      if (!inside) return absl::OkStatus();
      for (int64_t i = 0; i < slice; ++i) {
        y[offset + i] = Scattered(s.reduction, y[offset + i], updates[tuple * slice + i]);
      }
    }
    io.Finish();
    return absl::OkStatus();
  });
  return status.ok() && inside;
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_SCATTER_KERNEL_H_

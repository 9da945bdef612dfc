// TopK by a partial sort along the axis; NaN counts as larger than every number.
#ifndef TESSERA_OPS_DEFS_TOP_K_KERNEL_H_
#define TESSERA_OPS_DEFS_TOP_K_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool TopKFast(const Shape& s, const ir::KernelArgs& args) {
  const absl::Status status = InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    T* y = io.template Write<T>(0);
    int64_t* positions = args.outputs[1].template mutable_data<int64_t>();
    if (!io.status().ok()) return io.status();
    const AroundAxis around(s.X, s.axis);
    std::vector<int64_t> order(static_cast<size_t>(around.size));
    for (int64_t outer = 0; outer < around.outer; ++outer) {
      for (int64_t inner = 0; inner < around.inner; ++inner) {
        const T* row = x + outer * around.size * around.inner + inner;
        const auto value = [&](int64_t i) { return row[i * around.inner]; };
        const auto above = [](T a, T b) { return (a != a && b == b) || a > b; };
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + s.k, order.end(),
                          [&](int64_t a, int64_t b) {
                            const T u = value(a), v = value(b);
                            if (s.largest ? above(u, v) : above(v, u)) return true;
                            if (s.largest ? above(v, u) : above(u, v)) return false;
                            return a < b;
                          });
        for (int64_t i = 0; i < s.k; ++i) {
          const int64_t at = (outer * s.k + i) * around.inner + inner;
          y[at] = value(order[static_cast<size_t>(i)]);
          positions[at] = order[static_cast<size_t>(i)];
        }
      }
    }
    io.Finish();
    return absl::OkStatus();
  });
  return status.ok();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_TOP_K_KERNEL_H_

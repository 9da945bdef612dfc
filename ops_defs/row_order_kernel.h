// RowOrder by a stable sort.
#ifndef TESSERA_OPS_DEFS_ROW_ORDER_KERNEL_H_
#define TESSERA_OPS_DEFS_ROW_ORDER_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool RowOrderFast(const Shape& s, const ir::KernelArgs& args) {
  const absl::Status status = InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    int64_t* order = args.outputs[0].template mutable_data<int64_t>();
    uint8_t* fresh = args.outputs[1].template mutable_data<uint8_t>();
    if (!io.status().ok()) return io.status();
    const auto precedes = [](T a, T b) { return a < b || (b != b && a == a); };
    // Below 0 where row i comes first, 0 where the rows are equal.
    const auto compare = [&](int64_t i, int64_t j) {
      for (int64_t r = 0; r < s.M; ++r) {
        const T a = x[i * s.M + r], b = x[j * s.M + r];
        if (precedes(a, b)) return -1;
        if (precedes(b, a)) return 1;
      }
      return 0;
    };
    std::iota(order, order + s.N, int64_t{0});
    std::stable_sort(order, order + s.N, [&](int64_t i, int64_t j) { return compare(i, j) < 0; });
    for (int64_t k = 0; k < s.N; ++k) fresh[k] = k == 0 || compare(order[k - 1], order[k]) != 0;
    io.Finish();
    return absl::OkStatus();
  });
  return status.ok();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_ROW_ORDER_KERNEL_H_

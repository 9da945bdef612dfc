// Picks the type that an extern kernel computes in, as generated kernels do.
#ifndef TESSERA_OPS_DEFS_DISPATCH_H_
#define TESSERA_OPS_DEFS_DISPATCH_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/dtype.h"

namespace tessera::ops {

// `run.template operator()<T>()` with float, double, uint64_t or int64_t (bool included).
template <class Run>
absl::Status InComputeType(ir::DType dtype, Run run) {
  switch (dtype) {
    case ir::DType::kF64:
      return run.template operator()<double>();
    case ir::DType::kU64:
      return run.template operator()<uint64_t>();
    default:
      return ir::IsFloat(dtype) ? run.template operator()<float>()
                                : run.template operator()<int64_t>();
  }
}

// The same for kernels that exist for float and double only; false elsewhere.
template <class Run>
bool InFloatType(ir::DType dtype, Run run) {
  if (dtype == ir::DType::kF32) {
    run.template operator()<float>();
    return true;
  }
  if (dtype == ir::DType::kF64) {
    run.template operator()<double>();
    return true;
  }
  return false;
}

// A tensor seen as [outer, axis, inner] around one axis.
struct AroundAxis {
  AroundAxis(absl::Span<const int64_t> dims, int64_t axis) : size(dims[static_cast<size_t>(axis)]) {
    for (size_t d = 0; d < dims.size(); ++d) {
      (d < static_cast<size_t>(axis) ? outer : inner) *=
          d == static_cast<size_t>(axis) ? 1 : dims[d];
    }
  }
  int64_t outer = 1, size = 1, inner = 1;
};

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_DISPATCH_H_

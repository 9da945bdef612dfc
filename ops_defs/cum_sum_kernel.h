// CumSum in one pass.
#ifndef TESSERA_OPS_DEFS_CUM_SUM_KERNEL_H_
#define TESSERA_OPS_DEFS_CUM_SUM_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool CumSumFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    const T* x = args.inputs[0]->data<T>();
    T* y = args.outputs[0].mutable_data<T>();
    const AroundAxis around(s.X, s.axis);
    for (int64_t outer = 0; outer < around.outer; ++outer) {
      for (int64_t inner = 0; inner < around.inner; ++inner) {
        double sum = 0;
        for (int64_t k = 0; k < around.size; ++k) {
          const int64_t along = s.reverse ? around.size - 1 - k : k;
          const int64_t at = (outer * around.size + along) * around.inner + inner;
          if (s.exclusive) y[at] = static_cast<T>(sum);
          sum += static_cast<double>(x[at]);
          if (!s.exclusive) y[at] = static_cast<T>(sum);
        }
      }
    }
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_CUM_SUM_KERNEL_H_

// Softmax along one axis: maximum, exponentials and their sum, quotients.
#ifndef TESSERA_OPS_DEFS_SOFTMAX_KERNEL_H_
#define TESSERA_OPS_DEFS_SOFTMAX_KERNEL_H_

#include <cmath>
#include <cstdint>

#include "codegen/support/scalar.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool SoftmaxFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    const AroundAxis around(s.X, s.axis);
    for (int64_t outer = 0; outer < around.outer; ++outer) {
      for (int64_t inner = 0; inner < around.inner; ++inner) {
        const int64_t at = outer * around.size * around.inner + inner;
        const T* x = args.inputs[0]->data<T>() + at;
        T* y = args.outputs[0].template mutable_data<T>() + at;
        T top = kernels::Lowest<T>();
        for (int64_t k = 0; k < around.size; ++k) top = kernels::Max(top, x[k * around.inner]);
        double total = 0;
        for (int64_t k = 0; k < around.size; ++k) {
          const T e = std::exp(x[k * around.inner] - top);
          y[k * around.inner] = e;
          total += static_cast<double>(e);
        }
        for (int64_t k = 0; k < around.size; ++k) y[k * around.inner] /= static_cast<T>(total);
      }
    }
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_SOFTMAX_KERNEL_H_

// MatMul through Eigen.
#ifndef TESSERA_OPS_DEFS_MAT_MUL_KERNEL_H_
#define TESSERA_OPS_DEFS_MAT_MUL_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/matmul.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool MatMulFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::MatMulGeometry geometry;
  geometry.batch = s.Y;
  geometry.a_batch = s.A;
  geometry.b_batch = s.B;
  geometry.rows = s.M;
  geometry.inner = s.K;
  geometry.columns = s.N;
  return InFloatType(s.T, [&]<class T>() {
    kernels::MatMul<T>(geometry, args.inputs[0]->data<T>(), args.inputs[1]->data<T>(), nullptr,
                       args.outputs[0].mutable_data<T>());
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_MAT_MUL_KERNEL_H_

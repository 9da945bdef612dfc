// FULLY_CONNECTED and BATCH_MATMUL.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_MATMUL_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_MATMUL_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/matmul.h"
#include "targets/circle/ops/activation.h"

namespace tessera::ops {

template <class Shape>
bool CircleFullyConnectedFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::MatMulGeometry geometry;
  geometry.inner = s.K;
  geometry.columns = s.M;
  geometry.transpose_b = true;
  for (int64_t d = 0; d + 1 < s.R; ++d) geometry.rows *= s.D[static_cast<size_t>(d)];
  const bool has_bias = args.inputs.size() > 2 && args.inputs[2] != nullptr;
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::MatMul(geometry, args.inputs[0]->template data<float>(),
                  args.inputs[1]->template data<float>(),
                  has_bias ? args.inputs[2]->template data<float>() : nullptr, y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

template <class Shape>
bool CircleBatchMatmulFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::MatMulGeometry geometry;
  geometry.batch = s.batch;
  geometry.a_batch = s.A;
  geometry.b_batch = s.D;
  geometry.rows = s.rows;
  geometry.inner = s.inner;
  geometry.columns = s.columns;
  geometry.transpose_a = s.adjoint_lhs;
  geometry.transpose_b = s.adjoint_rhs;
  kernels::MatMul(geometry, args.inputs[0]->template data<float>(),
                  args.inputs[1]->template data<float>(), static_cast<const float*>(nullptr),
                  args.outputs[0].template mutable_data<float>());
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_MATMUL_KERNEL_H_

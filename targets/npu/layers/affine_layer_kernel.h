// Affine layers through a matrix product.
#ifndef TESSERA_TARGETS_NPU_LAYERS_AFFINE_LAYER_KERNEL_H_
#define TESSERA_TARGETS_NPU_LAYERS_AFFINE_LAYER_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"
#include "kernels/matmul.h"

namespace tessera::ops {

template <class Shape>
bool AffineLayerFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::MatMulGeometry geometry;
  geometry.rows = s.M;
  geometry.inner = s.K;
  geometry.columns = s.N;
  const float* bias = args.inputs[2]->template data<float>();
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::MatMul(geometry, args.inputs[1]->template data<float>(),
                  args.inputs[0]->template data<float>(), static_cast<const float*>(nullptr), y);
  for (int64_t m = 0; m < s.M; ++m) {
    for (int64_t n = 0; n < s.N; ++n) y[m * s.N + n] += bias[m];
  }
  return true;
}

template <class Shape>
bool RowsFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::MatMulGeometry geometry;
  geometry.inner = s.K;
  geometry.columns = s.M;
  geometry.transpose_b = true;
  for (int64_t d : s.D) geometry.rows *= d;
  kernels::MatMul(geometry, args.inputs[0]->template data<float>(),
                  args.inputs[1]->template data<float>(), args.inputs[2]->template data<float>(),
                  args.outputs[0].template mutable_data<float>());
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_LAYERS_AFFINE_LAYER_KERNEL_H_

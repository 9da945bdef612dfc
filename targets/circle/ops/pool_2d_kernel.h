// AVERAGE_POOL_2D and MAX_POOL_2D.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_POOL_2D_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_POOL_2D_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/pool.h"
#include "targets/circle/ops/activation.h"

namespace tessera::ops {

template <class Shape>
kernels::PoolGeometry PoolGeometryOf(const Shape& s) {
  kernels::PoolGeometry geometry{.planes = s.N, .inner = s.C, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.filter_height, s.filter_width},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = {1, 1},
                     .pads_begin = {s.top, s.left}};
  return geometry;
}

template <class Shape>
bool CircleAveragePool2DFast(const Shape& s, const ir::KernelArgs& args) {
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::AveragePool(PoolGeometryOf(s), false, {0, 0}, args.inputs[0]->template data<float>(), y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

template <class Shape>
bool CircleMaxPool2DFast(const Shape& s, const ir::KernelArgs& args) {
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::MaxPool(PoolGeometryOf(s), args.inputs[0]->template data<float>(), y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_POOL_2D_KERNEL_H_

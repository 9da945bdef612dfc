// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV through matrix products.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/conv.h"
#include "kernels/conv_transpose.h"
#include "targets/circle/ops/activation.h"

namespace tessera::ops {

template <class Shape>
bool CircleConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry{.batch = s.N, .channels = s.C, .filters = s.M, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.KH, s.KW},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = {s.dilation_h_factor, s.dilation_w_factor},
                     .pads_begin = {s.top, s.left}};
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::ConvChannelsLast(geometry, args.inputs[0]->template data<float>(),
                            args.inputs[1]->template data<float>(),
                            args.inputs[2]->template data<float>(), y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

template <class Shape>
bool CircleDepthwiseConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry{
      .batch = s.N, .channels = s.C, .filters = s.M, .groups = s.C, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.KH, s.KW},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = {s.dilation_h_factor, s.dilation_w_factor},
                     .pads_begin = {s.top, s.left}};
  float* y = args.outputs[0].template mutable_data<float>();
  kernels::DepthwiseConvChannelsLast(geometry, args.inputs[0]->template data<float>(),
                                     args.inputs[1]->template data<float>(),
                                     args.inputs[2]->template data<float>(), y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

template <class Shape>
bool CircleTransposeConvFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvTransposeGeometry geometry{
      .batch = s.N, .channels = s.C, .filters = s.M, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.KH, s.KW},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = {1, 1},
                     .pads_begin = {s.top, s.left}};
  float* y = args.outputs[0].template mutable_data<float>();
  const bool has_bias = args.inputs.size() > 3 && args.inputs[3] != nullptr;
  kernels::ConvTransposeChannelsLast(
      geometry, args.inputs[2]->template data<float>(), args.inputs[1]->template data<float>(),
      has_bias ? args.inputs[3]->template data<float>() : nullptr, y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_

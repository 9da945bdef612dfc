// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV through matrix products.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/op_info.h"
#include "kernels/conv.h"
#include "kernels/conv_transpose.h"
#include "targets/circle/ops/activation.h"

namespace tessera::ops {

template <class Geometry, class Shape>
Geometry ImageGeometry(const Shape& s, std::vector<int64_t> dilations) {
  Geometry geometry{.batch = s.N, .channels = s.C, .filters = s.M, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.KH, s.KW},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = std::move(dilations),
                     .pads_begin = {s.top, s.left}};
  return geometry;
}

// Null for an operand that is not there.
inline const float* Floats(const ir::KernelArgs& args, size_t operand) {
  const bool present = operand < args.inputs.size() && args.inputs[operand] != nullptr;
  return present ? args.inputs[operand]->data<float>() : nullptr;
}

// kernel(y), then the activation.
template <class Shape, class Kernel>
bool Activated(const Shape& s, const ir::KernelArgs& args, Kernel kernel) {
  float* y = args.outputs[0].mutable_data<float>();
  kernel(y);
  Activate(s.fused_activation_function, args.outputs[0].size(), y);
  return true;
}

template <class Shape>
bool CircleConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  const auto geometry =
      ImageGeometry<kernels::ConvGeometry>(s, {s.dilation_h_factor, s.dilation_w_factor});
  return Activated(s, args, [&](float* y) {
    kernels::ConvChannelsLast(geometry, Floats(args, 0), Floats(args, 1), Floats(args, 2), y);
  });
}

template <class Shape>
bool CircleDepthwiseConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  auto geometry =
      ImageGeometry<kernels::ConvGeometry>(s, {s.dilation_h_factor, s.dilation_w_factor});
  geometry.groups = s.C;
  return Activated(s, args, [&](float* y) {
    kernels::DepthwiseConvChannelsLast(geometry, Floats(args, 0), Floats(args, 1), Floats(args, 2),
                                       y);
  });
}

template <class Shape>
bool CircleTransposeConvFast(const Shape& s, const ir::KernelArgs& args) {
  const auto geometry = ImageGeometry<kernels::ConvTransposeGeometry>(s, {1, 1});
  return Activated(s, args, [&](float* y) {
    kernels::ConvTransposeChannelsLast(geometry, Floats(args, 2), Floats(args, 1), Floats(args, 3),
                                       y);
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_CONV_2D_KERNEL_H_

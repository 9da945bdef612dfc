// Convolutions channels last, through matrix products.
#ifndef TESSERA_TARGETS_NPU_LAYERS_CONVOLUTION_LAYER_KERNEL_H_
#define TESSERA_TARGETS_NPU_LAYERS_CONVOLUTION_LAYER_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/conv.h"

namespace tessera::ops {

inline bool LayerConvolution(const kernels::ConvGeometry& geometry, const ir::KernelArgs& args) {
  const bool has_bias = args.inputs.size() > 2 && args.inputs[2] != nullptr;
  kernels::ConvChannelsLast(geometry, args.inputs[0]->data<float>(), args.inputs[1]->data<float>(),
                            has_bias ? args.inputs[2]->data<float>() : nullptr,
                            args.outputs[0].mutable_data<float>());
  return true;
}

template <class Shape>
bool RowConvolutionLayerFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry{.filters = s.F, .window = {}};
  geometry.window = {.input = {s.W},
                     .kernel = {s.K},
                     .output = {s.P},
                     .strides = {s.stride},
                     .dilations = {1},
                     .pads_begin = {0}};
  return LayerConvolution(geometry, args);
}

template <class Shape>
bool ImageConvolutionLayerFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry{.channels = s.C, .filters = s.F, .window = {}};
  geometry.window = {.input = {s.H, s.L},
                     .kernel = {s.R, s.S},
                     .output = {s.P, s.Q},
                     .strides = {s.stride[0], s.stride[1]},
                     .dilations = {1, 1},
                     .pads_begin = {s.padding[0], s.padding[1]}};
  return LayerConvolution(geometry, args);
}

template <class Shape>
bool ImageFilterFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry{
      .batch = s.N, .channels = s.C, .filters = s.F, .groups = s.groups, .window = {}};
  geometry.window = {.input = {s.H, s.L},
                     .kernel = {s.R, s.S},
                     .output = {s.P, s.Q},
                     .strides = {s.stride[0], s.stride[1]},
                     .dilations = {s.dilation[0], s.dilation[1]},
                     .pads_begin = {s.before[0], s.before[1]}};
  return LayerConvolution(geometry, args);
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_LAYERS_CONVOLUTION_LAYER_KERNEL_H_

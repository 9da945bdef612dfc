// Conv through im2col and Eigen.
#ifndef TESSERA_OPS_DEFS_CONV_KERNEL_H_
#define TESSERA_OPS_DEFS_CONV_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/conv.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool ConvFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvGeometry geometry;
  geometry.batch = s.N;
  geometry.channels = s.C;
  geometry.filters = s.M;
  geometry.groups = s.group;
  geometry.window = {s.X, s.K, s.Y, s.strides, s.dilations, s.pads_begin};
  return InFloatType(s.T, [&]<class T>() {
    kernels::ConvChannelsFirst<T>(geometry, args.inputs[0]->data<T>(), args.inputs[1]->data<T>(),
                                  s.has_b ? args.inputs[2]->data<T>() : nullptr,
                                  args.outputs[0].mutable_data<T>());
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_CONV_KERNEL_H_

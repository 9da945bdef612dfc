// ConvTranspose through Eigen and col2im.
#ifndef TESSERA_OPS_DEFS_CONV_TRANSPOSE_KERNEL_H_
#define TESSERA_OPS_DEFS_CONV_TRANSPOSE_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/conv_transpose.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
bool ConvTransposeFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::ConvTransposeGeometry geometry;
  geometry.batch = s.N;
  geometry.channels = s.C;
  geometry.filters = s.G * s.group;
  geometry.groups = s.group;
  geometry.window = {s.Y, s.K, s.X, s.strides, s.dilations, s.pads_begin};
  return InFloatType(s.T, [&]<class T>() {
    kernels::ConvTransposeChannelsFirst<T>(
        geometry, args.inputs[0]->data<T>(), args.inputs[1]->data<T>(),
        s.has_b ? args.inputs[2]->data<T>() : nullptr, args.outputs[0].mutable_data<T>());
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_CONV_TRANSPOSE_KERNEL_H_

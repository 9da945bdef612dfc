// MaxPool and AveragePool plane by plane.
#ifndef TESSERA_OPS_DEFS_POOL_KERNEL_H_
#define TESSERA_OPS_DEFS_POOL_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/pool.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

template <class Shape>
kernels::PoolGeometry PoolGeometryOf(const Shape& s) {
  kernels::PoolGeometry geometry;
  geometry.planes = s.N * s.C;
  geometry.window = {s.X, s.kernel_shape, s.Y, s.strides, s.dilations, s.pads_begin};
  return geometry;
}

template <class Shape>
bool MaxPoolFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    kernels::MaxPool<T>(PoolGeometryOf(s), args.inputs[0]->data<T>(),
                        args.outputs[0].mutable_data<T>());
  });
}

template <class Shape>
bool AveragePoolFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    kernels::AveragePool<T>(PoolGeometryOf(s), /*count_padding=*/false, s.pads_end,
                            args.inputs[0]->data<T>(), args.outputs[0].mutable_data<T>());
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_POOL_KERNEL_H_

// TRANSPOSE at any rank.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/transpose.h"

namespace tessera::ops {

template <class Shape>
bool CircleTransposeFast(const Shape& s, const ir::KernelArgs& args) {
  const ir::Tensor& source = *args.inputs[0];
  kernels::Transpose(s.X, s.p, ir::SizeOf(source.dtype()), source.bytes().data(),
                     args.outputs[0].template mutable_data<uint8_t>());
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_TRANSPOSE_KERNEL_H_

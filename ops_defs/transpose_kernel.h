// Transpose at any rank.
#ifndef TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_
#define TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_

#include "ir/op_info.h"
#include "kernels/transpose.h"

namespace tessera::ops {

template <class Shape>
bool TransposeFast(const Shape& s, const ir::KernelArgs& args) {
  kernels::Transpose(s.X, s.perm, ir::SizeOf(s.T), args.inputs[0]->bytes().data(),
                     args.outputs[0].template mutable_data<uint8_t>());
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_

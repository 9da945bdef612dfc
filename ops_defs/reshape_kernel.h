// Reshape: the same bytes.
#ifndef TESSERA_OPS_DEFS_RESHAPE_KERNEL_H_
#define TESSERA_OPS_DEFS_RESHAPE_KERNEL_H_

#include <algorithm>

#include "ir/op_info.h"

namespace tessera::ops {

template <class Shape>
bool ReshapeFast(const Shape&, const ir::KernelArgs& args) {
  const auto bytes = args.inputs[0]->bytes();
  std::copy(bytes.begin(), bytes.end(), args.outputs[0].mutable_data<uint8_t>());
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_RESHAPE_KERNEL_H_

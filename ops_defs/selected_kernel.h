// Selected in one pass.
#ifndef TESSERA_OPS_DEFS_SELECTED_KERNEL_H_
#define TESSERA_OPS_DEFS_SELECTED_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"

namespace tessera::ops {

template <class Shape>
bool SelectedFast(const Shape& s, const ir::KernelArgs& args) {
  const uint8_t* mask = args.inputs[0]->data<uint8_t>();
  int64_t* y = args.outputs[0].mutable_data<int64_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < s.N && found < s.count; ++i) {
    if (mask[i] != 0) y[found++] = i;
  }
  while (found < s.count) y[found++] = s.N - 1;
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_SELECTED_KERNEL_H_

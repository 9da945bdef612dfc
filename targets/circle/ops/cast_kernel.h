#ifndef TESSERA_TARGETS_CIRCLE_OPS_CAST_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_CAST_KERNEL_H_

#include "absl/status/status.h"
#include "ir/op_info.h"

namespace tessera::ops {

template <class Shape>
absl::Status CircleCastKernel(const Shape& s, const ir::KernelArgs& args) {
  args.outputs[0] = args.inputs[0]->CastTo(s.out_data_type);
  return absl::OkStatus();
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_CAST_KERNEL_H_

// PWL, which looks each segment up.
#ifndef TESSERA_TARGETS_NPU_OPS_PWL_KERNEL_H_
#define TESSERA_TARGETS_NPU_OPS_PWL_KERNEL_H_

#include <cstdint>

#include "ir/op_info.h"
#include "targets/npu/ops/arithmetic.h"
#include "targets/npu/ops/segments.h"

namespace tessera::ops {

template <class Shape>
bool NpuPwlFast(const Shape& s, const ir::KernelArgs& args) {
  const npu::Segments segments(*args.inputs[1], *args.inputs[2], *args.inputs[3]);
  const int32_t* x = args.inputs[0]->data<int32_t>();
  int64_t saturations = 0;
  npu::WithType(s.to, [&](auto type) {
    auto* y = args.outputs[0].template mutable_data<decltype(type)>();
    for (int64_t i = 0; i < args.outputs[0].size(); ++i)
      y[i] = npu::Saturate<decltype(type)>(segments.At(x[i]), saturations);
  });
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_OPS_PWL_KERNEL_H_

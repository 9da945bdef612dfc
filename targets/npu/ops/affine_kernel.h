// AFFINE and AFFINE_MULTIBIAS row by row.
#ifndef TESSERA_TARGETS_NPU_OPS_AFFINE_KERNEL_H_
#define TESSERA_TARGETS_NPU_OPS_AFFINE_KERNEL_H_

#include <cstdint>
#include <vector>

#include "ir/op_info.h"
#include "targets/npu/ops/arithmetic.h"

namespace tessera::ops {

namespace npu {

// `columns` and `column`: of the biases.
template <class Shape>
bool Affine(const Shape& s, const ir::KernelArgs& args, int64_t columns, int64_t column) {
  const ir::Tensor& bias = *args.inputs[2];
  const ir::Tensor* multiplier = Given(args, 3);
  int64_t saturations = 0;
  WithTypes(s.X, s.W, [&](auto x_type, auto w_type) {
    const auto* x = args.inputs[0]->data<decltype(x_type)>();
    const auto* w = args.inputs[1]->data<decltype(w_type)>();
    int32_t* y = args.outputs[0].template mutable_data<int32_t>();
    std::vector<int64_t> sums;
    for (int64_t m = 0; m < s.M; ++m) {
      sums.assign(static_cast<size_t>(s.N), bias.AsInt(m * columns + column));
      WeightedRow(x, w + m * s.K, s.K, s.N, s.buffer,
                  multiplier == nullptr ? 1 : multiplier->AsInt(m), sums, saturations);
      for (size_t n = 0; n < sums.size(); ++n) *y++ = static_cast<int32_t>(sums[n]);
    }
  });
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

}  // namespace npu

template <class Shape>
bool NpuAffineFast(const Shape& s, const ir::KernelArgs& args) {
  return npu::Affine(s, args, 1, 0);
}
template <class Shape>
bool NpuMultibiasFast(const Shape& s, const ir::KernelArgs& args) {
  return npu::Affine(s, args, s.V, s.vector);
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_OPS_AFFINE_KERNEL_H_

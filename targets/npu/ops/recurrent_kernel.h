// RECURRENT row by row.
#ifndef TESSERA_TARGETS_NPU_OPS_RECURRENT_KERNEL_H_
#define TESSERA_TARGETS_NPU_OPS_RECURRENT_KERNEL_H_

#include <cstdint>
#include <vector>

#include "ir/op_info.h"
#include "targets/npu/ops/arithmetic.h"
#include "targets/npu/ops/segments.h"

namespace tessera::ops {

template <class Shape>
bool NpuRecurrentFast(const Shape& s, const ir::KernelArgs& args) {
  const ir::Tensor& x = *args.inputs[0];
  const ir::Tensor& bias = *args.inputs[2];
  const ir::Tensor* multiplier = npu::Given(args, 3);
  const npu::Segments segments(*args.inputs[4], *args.inputs[5], *args.inputs[6]);
  const ir::Tensor& feedback = *args.inputs[7];
  const ir::Tensor& y = args.outputs[0];
  int64_t saturations = 0;
  std::vector<int32_t> vector(static_cast<size_t>(s.J));
  std::vector<int64_t> sum(1);
  for (int64_t n = 0; n < s.N; ++n) {
    for (int64_t j = 0; j < s.J; ++j) {
      const int64_t past = (n - s.D) * s.M + j - s.K;
      vector[static_cast<size_t>(j)] =
          static_cast<int32_t>(j < s.K   ? x.AsInt(n * s.K + j)
                               : n < s.D ? feedback.AsInt(past + s.D * s.M)
                                         : y.AsInt(past));
    }
    npu::WithType(s.W, [&](auto w_type) {
      const auto* w = args.inputs[1]->data<decltype(w_type)>();
      for (int64_t m = 0; m < s.M; ++m) {
        sum[0] = bias.AsInt(m);
        npu::WeightedRow(vector.data(), w + m * s.J, s.J, 1, s.buffer,
                         multiplier == nullptr ? 1 : multiplier->AsInt(m), sum, saturations);
        npu::WithType(s.T, [&](auto y_type) {
          using Y = decltype(y_type);
          args.outputs[0].template mutable_data<Y>()[n * s.M + m] =
              npu::Saturate<Y>(segments.At(sum[0]), saturations);
        });
      }
    });
  }
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_OPS_RECURRENT_KERNEL_H_

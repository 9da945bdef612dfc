// CONVOLUTION_1D, CONVOLUTION_2D and POOLING over contiguous runs.
#ifndef TESSERA_TARGETS_NPU_OPS_CONVOLUTION_KERNEL_H_
#define TESSERA_TARGETS_NPU_OPS_CONVOLUTION_KERNEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ir/op_info.h"
#include "targets/npu/ops/arithmetic.h"

namespace tessera::ops {

template <class Shape>
bool NpuConvolution1DFast(const Shape& s, const ir::KernelArgs& args) {
  const int16_t* x = args.inputs[0]->data<int16_t>();
  const int16_t* filters = args.inputs[1]->data<int16_t>();
  const ir::Tensor& bias = *args.inputs[2];
  int32_t* y = args.outputs[0].template mutable_data<int32_t>();
  int64_t saturations = 0;
  const bool sum = s.pooling == 2, pooled = s.pooling != 0;
  std::vector<int64_t> total(static_cast<size_t>(s.positions));
  for (int64_t f = 0; f < s.F; ++f) {
    for (int64_t p = 0; p < s.positions; ++p)
      total[static_cast<size_t>(p)] =
          bias.AsInt(f) + npu::Dot(x + p * s.stride, filters + f * s.K, s.K);
    for (int64_t q = 0; q < s.Q; ++q) {
      const int64_t begin = pooled ? q * s.pooling_stride : q;
      const int64_t end = pooled ? std::min(begin + s.window, s.positions) : begin + 1;
      int64_t value = total[static_cast<size_t>(begin)];
      for (int64_t p = begin + 1; p < end; ++p) {
        const int64_t next = total[static_cast<size_t>(p)];
        value = sum ? value + next : std::max(value, next);
      }
      y[q * s.F + f] = npu::Saturate<int32_t>(value, saturations);
    }
  }
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

template <class Shape>
bool NpuConvolution2DFast(const Shape& s, const ir::KernelArgs& args) {
  const ir::Tensor* bias = npu::Given(args, 2);
  int32_t* y = args.outputs[0].template mutable_data<int32_t>();
  int64_t saturations = 0;
  npu::WithTypes(s.X, s.W, [&](auto x_type, auto w_type) {
    const auto* x = args.inputs[0]->data<decltype(x_type)>();
    const auto* filters = args.inputs[1]->data<decltype(w_type)>();
    for (int64_t p = 0; p < s.P; ++p) {
      const int64_t top = p * s.stride[0] - s.padding[0];
      for (int64_t q = 0; q < s.Q; ++q) {
        const int64_t left = q * s.stride[1] - s.padding[1];
        // What of the window lies inside is a run in each row.
        const int64_t first = std::max<int64_t>(0, -left);
        const int64_t count = (std::min(s.S, s.L - left) - first) * s.C;
        for (int64_t f = 0; f < s.F; ++f) {
          int64_t total = bias == nullptr ? 0 : bias->AsInt(f);
          for (int64_t r = std::max<int64_t>(0, -top); r < std::min(s.R, s.H - top); ++r) {
            if (count <= 0) break;
            total += npu::Dot(x + ((top + r) * s.L + left + first) * s.C,
                              filters + ((f * s.R + r) * s.S + first) * s.C, count);
          }
          *y++ = npu::Saturate<int32_t>(total, saturations);
        }
      }
    }
  });
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

template <class Shape>
bool NpuPoolingFast(const Shape& s, const ir::KernelArgs& args) {
  int64_t saturations = 0;
  npu::WithType(s.T, [&](auto type) {
    using T = decltype(type);
    const T* x = args.inputs[0]->data<T>();
    T* y = args.outputs[0].template mutable_data<T>();
    for (int64_t i = 0; i < args.outputs[0].size(); ++i) {
      const int64_t c = i % s.C;
      const int64_t top = i / (s.C * s.Q) * s.stride[0], left = i / s.C % s.Q * s.stride[1];
      const int64_t bottom = std::min(s.H, top + s.window[0]);
      const int64_t right = std::min(s.L, left + s.window[1]);
      T greatest = std::numeric_limits<T>::lowest();
      int64_t sum = 0;
      for (int64_t column = left; column < right; ++column) {
        for (int64_t row = top; row < bottom; ++row) {
          const T element = x[(row * s.L + column) * s.C + c];
          greatest = std::max(greatest, element);
          if (s.kind == 0) continue;
          sum = sizeof(T) == 1 ? npu::Saturate<int16_t>(sum + element, saturations)
                               : npu::Saturate<int32_t>(sum + element, saturations);
        }
      }
      y[i] = s.kind == 0 ? greatest : npu::Saturate<T>(sum, saturations);
    }
  });
  *args.outputs[1].template mutable_data<int64_t>() = saturations;
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_NPU_OPS_CONVOLUTION_KERNEL_H_

// Lstm, Gru and Rnn step by step: each weight is read once per step and row, in order.
#ifndef TESSERA_OPS_DEFS_RECURRENT_KERNEL_H_
#define TESSERA_OPS_DEFS_RECURRENT_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "codegen/support/scalar.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

// Null: absent.
template <class T>
const T* RecurrentInput(const ir::KernelArgs& args, size_t index) {
  return index < args.inputs.size() && args.inputs[index] != nullptr ? args.inputs[index]->data<T>()
                                                                     : nullptr;
}

// `activation` of recurrent_terms.op behind `limited`, which a clip of 0 leaves out.
template <class T>
T RecurrentActivation(int64_t kind, double alpha, double beta, double clip, T x) {
  const T a = static_cast<T>(alpha), b = static_cast<T>(beta), limit = static_cast<T>(clip);
  if (clip > 0) x = kernels::Max(-limit, kernels::Min(limit, x));
  switch (kind) {
    case 0:
      return 1 / (1 + std::exp(-x));
    case 1:
      return std::tanh(x);
    case 2:
      return kernels::Max(x, T(0));
    case 3:
      return a * x + b;
    case 4:
      return x >= 0 ? x : a * x;
    case 5:
      return x < a ? T(0) : x;
    case 6:
      return a * std::tanh(b * x);
    case 7:
      return kernels::Max(T(0), kernels::Min(T(1), a * x + b));
    case 8:
      return x >= 0 ? x : a * (std::exp(x) - 1);
    case 9:
      return x / (1 + std::abs(x));
    default:
      return kernels::Max(x, T(0)) + std::log(1 + std::exp(-std::abs(x)));
  }
}

template <class T>
T RecurrentDot(const T* a, const T* b, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(a[k] * b[k]);
  return static_cast<T>(sum);
}

// Runs `step(t, n, h)` for each position within the length of each row, where h holds the row's
// state; y gets the states, 0 behind a row's length.
template <class T, class Step>
void Recur(int64_t length, int64_t rows, int64_t units, const int32_t* lengths, const T* h0,
           const ir::KernelArgs& args, Step step) {
  T* y = args.outputs[0].mutable_data<T>();
  T* h = args.outputs[1].mutable_data<T>();
  for (int64_t i = 0; i < rows * units; ++i) h[i] = h0 == nullptr ? T(0) : h0[i];
  for (int64_t t = 0; t < length; ++t) {
    for (int64_t n = 0; n < rows; ++n) {
      T* const out = y + (t * rows + n) * units;
      if (lengths != nullptr && t >= lengths[n]) {
        std::fill(out, out + units, T(0));
        continue;
      }
      step(t, n, h + n * units);
      std::copy(h + n * units, h + (n + 1) * units, out);
    }
  }
}

template <class Shape>
bool LstmFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    const int64_t H = s.H;
    const T* const z = RecurrentInput<T>(args, 0);
    const T* const r = RecurrentInput<T>(args, 1);
    const T* const c0 = RecurrentInput<T>(args, 4);
    const T* const p = RecurrentInput<T>(args, 5);
    T* const cells = args.outputs[2].mutable_data<T>();
    for (int64_t i = 0; i < s.N * H; ++i) cells[i] = c0 == nullptr ? T(0) : c0[i];
    const auto peephole = [&](int64_t gate, int64_t j, T cell) {
      return p == nullptr ? T(0) * cell : p[gate * H + j] * cell;
    };
    const auto active = [&](size_t i, double clip, T x) {
      return RecurrentActivation<T>(s.kinds[i], s.alphas[i], s.betas[i], clip, x);
    };
    std::vector<T> u(static_cast<size_t>(4 * H));
    Recur<T>(s.L, s.N, H, RecurrentInput<int32_t>(args, 2), RecurrentInput<T>(args, 3), args,
             [&](int64_t t, int64_t n, T* h) {
               const T* const given = z + (t * s.N + n) * 4 * H;
               T* const c = cells + n * H;
               for (int64_t q = 0; q < 4 * H; ++q) u[q] = given[q] + RecurrentDot(h, r + q * H, H);
               for (int64_t j = 0; j < H; ++j) {
                 const T before = c[j];
                 const T i = active(0, s.clip, u[j] + peephole(0, j, before));
                 const T f =
                     s.couple ? 1 - i : active(0, s.clip, u[2 * H + j] + peephole(2, j, before));
                 c[j] = f * before + i * active(1, s.clip, u[3 * H + j]);
                 h[j] = active(0, s.clip, u[H + j] + peephole(1, j, c[j])) * active(2, 0, c[j]);
               }
             });
  });
}

template <class Shape>
bool GruFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    const int64_t H = s.H;
    const T* const z = RecurrentInput<T>(args, 0);
    const T* const r = RecurrentInput<T>(args, 1);
    const T* const rb = RecurrentInput<T>(args, 2);
    std::vector<T> gates(static_cast<size_t>(2 * H)), scaled(static_cast<size_t>(H)),
        next(static_cast<size_t>(H));
    Recur<T>(s.L, s.N, H, RecurrentInput<int32_t>(args, 3), RecurrentInput<T>(args, 4), args,
             [&](int64_t t, int64_t n, T* h) {
               const T* const given = z + (t * s.N + n) * 3 * H;
               for (int64_t q = 0; q < 2 * H; ++q) {
                 gates[q] = RecurrentActivation<T>(s.kinds[0], s.alphas[0], s.betas[0], s.clip,
                                                   given[q] + RecurrentDot(h, r + q * H, H));
               }
               for (int64_t j = 0; j < H; ++j) scaled[j] = gates[H + j] * h[j];
               for (int64_t j = 0; j < H; ++j) {
                 const T bias = rb == nullptr ? T(0) : rb[j];
                 const T* const row = r + (2 * H + j) * H;
                 const T state = s.reset_after ? gates[H + j] * (RecurrentDot(h, row, H) + bias)
                                               : RecurrentDot(scaled.data(), row, H) + bias;
                 const T m = RecurrentActivation<T>(s.kinds[1], s.alphas[1], s.betas[1], s.clip,
                                                    given[2 * H + j] + state);
                 next[j] = (1 - gates[j]) * m + gates[j] * h[j];
               }
               std::copy(next.begin(), next.end(), h);
             });
  });
}

template <class Shape>
bool RnnFast(const Shape& s, const ir::KernelArgs& args) {
  return InFloatType(s.T, [&]<class T>() {
    const int64_t H = s.H;
    const T* const z = RecurrentInput<T>(args, 0);
    const T* const r = RecurrentInput<T>(args, 1);
    std::vector<T> next(static_cast<size_t>(H));
    Recur<T>(s.L, s.N, H, RecurrentInput<int32_t>(args, 2), RecurrentInput<T>(args, 3), args,
             [&](int64_t t, int64_t n, T* h) {
               for (int64_t j = 0; j < H; ++j) {
                 next[j] = RecurrentActivation<T>(
                     s.kind, s.alpha, s.beta, s.clip,
                     z[(t * s.N + n) * H + j] + RecurrentDot(h, r + j * H, H));
               }
               std::copy(next.begin(), next.end(), h);
             });
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_RECURRENT_KERNEL_H_

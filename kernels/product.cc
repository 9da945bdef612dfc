#include "kernels/product.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::kernels {
namespace {

// Blocks that stay in the second cache, and what of them is computed at once in registers.
constexpr int64_t kRows = 256, kInner = 256, kColumns = 256;
constexpr int64_t kTileRows = 4, kTileColumns = 8;

// Eigen splits sums by the sizes of the caches that it finds, also for who multiplies with it
// directly. With the same sizes everywhere a network's bytes are the same on each machine.
[[maybe_unused]] const bool kSameSplits = [] {
  Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
  return true;
}();

int64_t RoundUp(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

// Elements that are computed at once, wherever they begin.
using Pair = double __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));
using Quad = double __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));

// Two vectors of each row. Unrolled: sums that are indexed by a loop are not kept in registers.
template <class Vector>
[[gnu::always_inline]] inline void Tile(const double* a, const double* b, int64_t inner, double* c,
                                        int64_t stride, int64_t column) {
  constexpr int64_t kLanes = sizeof(Vector) / sizeof(double);
  Vector first[kTileRows], second[kTileRows];
#pragma GCC unroll 8
  for (int64_t r = 0; r < kTileRows; ++r) {
    const double* const from = c + r * stride + column;
    first[r] = *reinterpret_cast<const Vector*>(from);
    second[r] = *reinterpret_cast<const Vector*>(from + kLanes);
  }
  for (int64_t k = 0; k < inner; ++k) {
    const double* const from = b + k * kTileColumns + column;
    const Vector x = *reinterpret_cast<const Vector*>(from);
    const Vector y = *reinterpret_cast<const Vector*>(from + kLanes);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kTileRows; ++r) {
      const double left = a[k * kTileRows + r];
      first[r] += left * x;
      second[r] += left * y;
    }
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kTileRows; ++r) {
    double* const to = c + r * stride + column;
    *reinterpret_cast<Vector*>(to) = first[r];
    *reinterpret_cast<Vector*>(to + kLanes) = second[r];
  }
}

// c += a b, packed: tiles of a one after the other, each with the entries of an inner index side by
// side; b likewise; c row by row.
template <class Vector>
[[gnu::always_inline]] inline void Accumulate(const double* a, const double* b, int64_t rows,
                                              int64_t inner, int64_t columns, double* c) {
  constexpr int64_t kAtOnce = 2 * sizeof(Vector) / sizeof(double);
  for (int64_t j = 0; j < columns; j += kTileColumns) {
    for (int64_t i = 0; i < rows; i += kTileRows) {
      for (int64_t column = 0; column < kTileColumns; column += kAtOnce)
        Tile<Vector>(a + i * inner, b + j * inner, inner, c + i * columns + j, columns, column);
    }
  }
}

// The lines of a matrix, the entries of each `step` apart, and the vector they are multiplied with.
struct Lines {
  const float* matrix;
  int64_t line, step, count;
  const float* vector;
  int64_t vector_step, inner;
  float* result;
  int64_t result_step;
};

// `count` lines from `from` on, which are `line` apart. Where the count is known, sums are
// registers: nobody else may index them by what is not.
[[gnu::always_inline]] inline void Sum(const Lines& lines, const float* from, int64_t line,
                                       int64_t count, double* sums) {
  for (int64_t k = 0; k < lines.inner; ++k) {
    const double right = double{lines.vector[k * lines.vector_step]};
    const float* const left = from + k * lines.step;
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; ++i) sums[i] += double{left[i * line]} * right;
  }
}

[[gnu::always_inline]] inline void Multiply(const Lines& lines) {
  constexpr int64_t kAtOnce = 8;
  for (int64_t begin = 0; begin < lines.count; begin += kAtOnce) {
    const float* const from = lines.matrix + begin * lines.line;
    const int64_t count = std::min(kAtOnce, lines.count - begin);
    double sums[kAtOnce] = {}, rest[kAtOnce] = {};
    if (count < kAtOnce) {
      Sum(lines, from, lines.line, count, rest);
      std::copy_n(rest, count, sums);
    } else if (lines.line == 1) {
      Sum(lines, from, 1, kAtOnce, sums);
    } else {
      Sum(lines, from, lines.line, kAtOnce, sums);
    }
    for (int64_t i = 0; i < count; ++i)
      lines.result[(begin + i) * lines.result_step] = static_cast<float>(sums[i]);
  }
}

// A fused product and sum is rounded as one after the other is, since the product of floats is
// exact in doubles.
[[gnu::target("avx2,fma")]] void AccumulateWide(const double* a, const double* b, int64_t rows,
                                                int64_t inner, int64_t columns, double* c) {
  Accumulate<Quad>(a, b, rows, inner, columns, c);
}

void AccumulateNarrow(const double* a, const double* b, int64_t rows, int64_t inner,
                      int64_t columns, double* c) {
  Accumulate<Pair>(a, b, rows, inner, columns, c);
}

[[gnu::target("avx2,fma")]] void MultiplyWide(const Lines& lines) { Multiply(lines); }

void MultiplyNarrow(const Lines& lines) { Multiply(lines); }

// `count` lines of `kWidth` at a time, for each inner index side by side; zeros beyond the last.
template <int64_t kWidth>
void Pack(const float* source, int64_t line, int64_t step, int64_t count, int64_t inner,
          std::vector<double>& packed) {
  packed.resize(static_cast<size_t>(RoundUp(count, kWidth) * inner));
  double* to = packed.data();
  for (int64_t begin = 0; begin < count; begin += kWidth) {
    const float* const from = source + begin * line;
    const int64_t width = std::min(kWidth, count - begin);
    if (width < kWidth) std::fill_n(to, kWidth * inner, 0.0);
    if (step == 1) {  // lines are read from end to end
      for (int64_t i = 0; i < width; ++i) {
        for (int64_t k = 0; k < inner; ++k) to[k * kWidth + i] = double{from[i * line + k]};
      }
    } else if (line == 1 && width == kWidth) {
      for (int64_t k = 0; k < inner; ++k) {
        for (int64_t i = 0; i < kWidth; ++i) to[k * kWidth + i] = double{from[k * step + i]};
      }
    } else {
      for (int64_t k = 0; k < inner; ++k) {
        for (int64_t i = 0; i < width; ++i) to[k * kWidth + i] = double{from[k * step + i * line]};
      }
    }
    to += kWidth * inner;
  }
}

}  // namespace

bool HasWideRegisters() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}

void MultiplyFloats(int64_t rows, int64_t inner, int64_t columns, Strided<const float> a,
                    Strided<const float> b, Strided<float> result, bool wide) {
  if (columns == 1 || rows == 1) {
    const Lines lines = columns == 1 ? Lines{a.data, a.row, a.column,    rows,      b.data,
                                             b.row,  inner, result.data, result.row}
                                     : Lines{b.data,   b.column, b.row,       columns,      a.data,
                                             a.column, inner,    result.data, result.column};
    return wide ? MultiplyWide(lines) : MultiplyNarrow(lines);
  }
  const auto accumulate = wide ? &AccumulateWide : &AccumulateNarrow;
  std::vector<double> left, right, sums;
  for (int64_t column = 0; column < columns; column += kColumns) {
    const int64_t wide = std::min(kColumns, columns - column);
    const int64_t stride = RoundUp(wide, kTileColumns);
    for (int64_t row = 0; row < rows; row += kRows) {
      const int64_t high = std::min(kRows, rows - row);
      sums.assign(static_cast<size_t>(RoundUp(high, kTileRows) * stride), 0.0);
      for (int64_t k = 0; k < inner; k += kInner) {
        const int64_t deep = std::min(kInner, inner - k);
        Pack<kTileRows>(a.data + row * a.row + k * a.column, a.row, a.column, high, deep, left);
        Pack<kTileColumns>(b.data + k * b.row + column * b.column, b.column, b.row, wide, deep,
                           right);
        accumulate(left.data(), right.data(), RoundUp(high, kTileRows), deep, stride, sums.data());
      }
      for (int64_t i = 0; i < high; ++i) {
        float* const to = result.data + (row + i) * result.row + column * result.column;
        for (int64_t j = 0; j < wide; ++j)
          to[j * result.column] = static_cast<float>(sums[static_cast<size_t>(i * stride + j)]);
      }
    }
  }
}

}  // namespace tessera::kernels

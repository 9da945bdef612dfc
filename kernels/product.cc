#include "kernels/product.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "support/parallel.h"

namespace tessera::kernels {
namespace {

// Blocks that stay in the second cache, and what of them is computed at once in registers.
constexpr int64_t kRows = 256, kInner = 192, kColumns = 256;

// Products of numbers that take as long as it takes to begin a few threads, many times over.
constexpr double kWorthThreads = 1 << 24;

// Eigen splits sums by the sizes of the caches that it finds, also for who multiplies with it
// directly. With the same sizes everywhere a network's bytes are the same on each machine.
[[maybe_unused]] const bool kSameSplits = [] {
  Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
  return true;
}();

int64_t RoundUp(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

// Elements that are computed at once, wherever they begin. Each number of them is written out: of a
// `vector_size` that depends on a parameter GCC 12 makes two lanes.
template <int64_t kLanes>
struct Lanes;
template <>
struct Lanes<2> {
  using Vector = double __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double))));
};
template <>
struct Lanes<4> {
  using Vector = double __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));
};
template <>
struct Lanes<8> {
  using Vector = double __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double))));
};

// What is computed at once in registers: of each of `kRows` rows, `kVectors` vectors.
template <int64_t kLanes, int64_t kHigh, int64_t kVectors>
struct Tile {
  using Vector = typename Lanes<kLanes>::Vector;
  static constexpr int64_t kRows = kHigh, kColumns = kVectors * kLanes;

  // Unrolled: sums that are indexed by a loop are not kept in registers.
  [[gnu::always_inline]] static inline void Add(const double* a, const double* b, int64_t inner,
                                                double* c, int64_t stride) {
    Vector sums[kRows][kVectors];
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] = *reinterpret_cast<const Vector*>(c + r * stride + v * kLanes);
    }
    for (int64_t k = 0; k < inner; ++k) {
      Vector right[kVectors];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v)
        right[v] = *reinterpret_cast<const Vector*>(b + k * kColumns + v * kLanes);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kRows; ++r) {
        const double left = a[k * kRows + r];
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) sums[r][v] += left * right[v];
      }
    }
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v)
        *reinterpret_cast<Vector*>(c + r * stride + v * kLanes) = sums[r][v];
    }
  }
};
using NarrowTile = Tile<2, 4, 2>;
using WideTile = Tile<4, 4, 2>;
using WidestTile = Tile<8, 8, 2>;

// c += a b, packed: tiles of a one after the other, each with the entries of an inner index side by
// side; b likewise; c row by row.
template <class T>
[[gnu::always_inline]] inline void Accumulate(const double* a, const double* b, int64_t rows,
                                              int64_t inner, int64_t columns, double* c) {
  for (int64_t j = 0; j < columns; j += T::kColumns) {
    for (int64_t i = 0; i < rows; i += T::kRows)
      T::Add(a + i * inner, b + j * inner, inner, c + i * columns + j, columns);
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
[[gnu::target("avx512f")]] void AccumulateWidest(const double* a, const double* b, int64_t rows,
                                                 int64_t inner, int64_t columns, double* c) {
  Accumulate<WidestTile>(a, b, rows, inner, columns, c);
}

[[gnu::target("avx2,fma")]] void AccumulateWide(const double* a, const double* b, int64_t rows,
                                                int64_t inner, int64_t columns, double* c) {
  Accumulate<WideTile>(a, b, rows, inner, columns, c);
}

void AccumulateNarrow(const double* a, const double* b, int64_t rows, int64_t inner,
                      int64_t columns, double* c) {
  Accumulate<NarrowTile>(a, b, rows, inner, columns, c);
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
    if (step == 1 && width == kWidth) {  // lines are read from end to end
      const float* lines[kWidth];
      for (int64_t i = 0; i < kWidth; ++i) lines[i] = from + i * line;
      for (int64_t k = 0; k < inner; ++k) {
        for (int64_t i = 0; i < kWidth; ++i) to[k * kWidth + i] = double{lines[i][k]};
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

template <class T>
void MultiplyInTiles(int64_t rows, int64_t inner, int64_t columns, Strided<const float> a,
                     Strided<const float> b, Strided<float> result,
                     decltype(&AccumulateNarrow) accumulate) {
  // Each block of the result is a sum of its own.
  const int64_t row_blocks = (rows + kRows - 1) / kRows;
  const int64_t column_blocks = (columns + kColumns - 1) / kColumns;
  const auto multiply = [&](size_t block) {
    const int64_t column = static_cast<int64_t>(block) / row_blocks * kColumns;
    const int64_t row = static_cast<int64_t>(block) % row_blocks * kRows;
    const int64_t wide = std::min(kColumns, columns - column);
    const int64_t high = std::min(kRows, rows - row);
    const int64_t stride = RoundUp(wide, T::kColumns);
    std::vector<double> left, right;
    std::vector<double> sums(static_cast<size_t>(RoundUp(high, T::kRows) * stride));
    for (int64_t k = 0; k < inner; k += kInner) {
      const int64_t deep = std::min(kInner, inner - k);
      Pack<T::kRows>(a.data + row * a.row + k * a.column, a.row, a.column, high, deep, left);
      Pack<T::kColumns>(b.data + k * b.row + column * b.column, b.column, b.row, wide, deep, right);
      accumulate(left.data(), right.data(), RoundUp(high, T::kRows), deep, stride, sums.data());
    }
    for (int64_t i = 0; i < high; ++i) {
      float* const to = result.data + (row + i) * result.row + column * result.column;
      for (int64_t j = 0; j < wide; ++j)
        to[j * result.column] = static_cast<float>(sums[static_cast<size_t>(i * stride + j)]);
    }
    return absl::OkStatus();
  };
  const auto blocks = static_cast<size_t>(row_blocks * column_blocks);
  if (double(rows) * double(inner) * double(columns) < kWorthThreads) {
    for (size_t block = 0; block < blocks; ++block) multiply(block).IgnoreError();
  } else {
    support::ForEachInParallel(blocks, multiply).IgnoreError();
  }
}

}  // namespace

Registers WidestRegisters() {
  static const Registers widest = [] {
    if (__builtin_cpu_supports("avx512f") != 0) return Registers::kWidest;
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0
               ? Registers::kWide
               : Registers::kNarrow;
  }();
  return widest;
}

void MultiplyFloats(int64_t rows, int64_t inner, int64_t columns, Strided<const float> a,
                    Strided<const float> b, Strided<float> result, Registers registers) {
  if (columns == 1 || rows == 1) {
    const Lines lines = columns == 1 ? Lines{a.data, a.row, a.column,    rows,      b.data,
                                             b.row,  inner, result.data, result.row}
                                     : Lines{b.data,   b.column, b.row,       columns,      a.data,
                                             a.column, inner,    result.data, result.column};
    return registers == Registers::kNarrow ? MultiplyNarrow(lines) : MultiplyWide(lines);
  }
  // Results are written row by row.
  if (result.column != 1 && result.row == 1) {
    std::swap(rows, columns);
    std::swap(a, b);
    for (Strided<const float>* each : {&a, &b}) std::swap(each->row, each->column);
    std::swap(result.row, result.column);
  }
  switch (registers) {
    case Registers::kNarrow:
      return MultiplyInTiles<NarrowTile>(rows, inner, columns, a, b, result, &AccumulateNarrow);
    case Registers::kWide:
      return MultiplyInTiles<WideTile>(rows, inner, columns, a, b, result, &AccumulateWide);
    case Registers::kWidest:
      return MultiplyInTiles<WidestTile>(rows, inner, columns, a, b, result, &AccumulateWidest);
  }
}

}  // namespace tessera::kernels

#include "kernels/pool.h"

#include <algorithm>
#include <limits>

#include "kernels/taps.h"

namespace tessera::kernels {
namespace {

// Calls visit(position) for every position of the input under the window at output position o.
template <class F>
void ForEachInside(const Window& window, const std::vector<int64_t>& o, std::vector<Range>& ranges,
                   std::vector<int64_t>& k, F visit) {
  const size_t rank = window.rank();
  ranges.resize(rank);
  k.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    ranges[d] = InsideOffsets(window, d, o[d]);
    if (ranges[d].begin == ranges[d].end) return;
    k[d] = ranges[d].begin;
  }
  for (;;) {
    int64_t position = 0;
    for (size_t d = 0; d < rank; ++d)
      position = position * window.input[d] + window.Source(d, o[d], k[d]);
    visit(position);
    size_t d = rank;
    while (d > 0 && ++k[d - 1] == ranges[d - 1].end) {
      k[d - 1] = ranges[d - 1].begin;
      --d;
    }
    if (d == 0) return;
  }
}

// The window positions at o that lie inside input plus padding.
int64_t CountPadded(const Window& window, const std::vector<int64_t>& pads_end,
                    const std::vector<int64_t>& o) {
  int64_t count = 1;
  for (size_t d = 0; d < window.rank(); ++d) {
    int64_t along = 0;
    for (int64_t k = 0; k < window.kernel[d]; ++k) {
      const int64_t i = window.Source(d, o[d], k);
      along += i >= -window.pads_begin[d] && i < window.input[d] + pads_end[d];
    }
    count *= along;
  }
  return count;
}

template <class T>
T Larger(T y, T x) {
  return x > y || x != x ? x : y;  // of numbers and NaN: NaN
}

// y = op(y, x) for all that each output reads, in row-major order.
template <class T, class F>
void ReduceRows(const Window& window, const std::vector<Tap>& taps, const T* x, T* y, F op) {
  const int64_t stride = window.strides.back();
  ForEachRow(window, taps, [&](size_t, int64_t to, int64_t from, int64_t count) {
    const T* const read = x + from;
    T* const write = y + to;
    if (stride == 1) {
      for (int64_t i = 0; i < count; ++i) write[i] = op(write[i], read[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) write[i] = op(write[i], read[i * stride]);
    }
  });
}

}  // namespace

template <class T>
void MaxPool(const PoolGeometry& g, const T* x, T* y) {
  if (g.inner == 1 && g.window.rank() > 0) {
    const std::vector<Tap> taps = TapsOf(g.window);
    const int64_t in = g.window.input_size(), out = g.window.output_size();
    std::fill_n(y, g.planes * out, -std::numeric_limits<T>::infinity());
    for (int64_t p = 0; p < g.planes; ++p, x += in, y += out)
      ReduceRows(g.window, taps, x, y, Larger<T>);
    return;
  }
  const int64_t in = g.window.input_size(), out = g.window.output_size();
  std::vector<int64_t> o, k;
  std::vector<Range> ranges;
  for (int64_t p = 0; p < g.planes; ++p, x += in * g.inner) {
    for (int64_t position = 0; position < out; ++position, y += g.inner) {
      Unravel(position, g.window.output, o);
      std::fill_n(y, g.inner, -std::numeric_limits<T>::infinity());
      ForEachInside(g.window, o, ranges, k, [&](int64_t source) {
        const T* const read = x + source * g.inner;
        for (int64_t c = 0; c < g.inner; ++c) y[c] = Larger(y[c], read[c]);
      });
    }
  }
}

template <class T>
void AveragePool(const PoolGeometry& g, bool count_padding, const std::vector<int64_t>& pads_end,
                 const T* x, T* y) {
  const int64_t in = g.window.input_size(), out = g.window.output_size();
  std::vector<int64_t> o, k;
  std::vector<Range> ranges;
  for (int64_t p = 0; p < g.planes; ++p, x += in * g.inner) {
    for (int64_t position = 0; position < out; ++position, y += g.inner) {
      Unravel(position, g.window.output, o);
      std::fill_n(y, g.inner, T(0));
      int64_t count = 0;
      ForEachInside(g.window, o, ranges, k, [&](int64_t source) {
        const T* const read = x + source * g.inner;
        for (int64_t c = 0; c < g.inner; ++c) y[c] += read[c];
        ++count;
      });
      if (count_padding) count = CountPadded(g.window, pads_end, o);
      if (count == 0) continue;
      for (int64_t c = 0; c < g.inner; ++c) y[c] /= static_cast<T>(count);
    }
  }
}

template void MaxPool(const PoolGeometry&, const float*, float*);
template void MaxPool(const PoolGeometry&, const double*, double*);
template void AveragePool(const PoolGeometry&, bool, const std::vector<int64_t>&, const float*,
                          float*);
template void AveragePool(const PoolGeometry&, bool, const std::vector<int64_t>&, const double*,
                          double*);

}  // namespace tessera::kernels

#include "kernels/conv.h"

#include <algorithm>
#include <vector>

#include "Eigen/Core"
#include "kernels/product.h"
#include "kernels/taps.h"

namespace tessera::kernels {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstBlock = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using Block = Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>>;

// Output positions whose patches are laid out at once: as many as keep them near the second-level
// cache, but enough for the product to be efficient.
int64_t TileSize(int64_t patch, int64_t positions) {
  constexpr int64_t kElements = int64_t{1} << 18;
  return std::clamp<int64_t>(kElements / std::max<int64_t>(patch, 1), 64,
                             std::max<int64_t>(positions, 64));
}

// out[p - begin] = what output position p reads of `plane` at kernel offset k, for p in [begin,
// end).
template <class T>
void FillColumnRow(const Window& window, const T* plane, const std::vector<int64_t>& k,
                   int64_t begin, int64_t end, T* out) {
  if (window.rank() == 0) {
    std::copy(plane, plane + (end - begin), out);
    return;
  }
  const size_t last = window.rank() - 1;
  const int64_t width = window.output[last], stride = window.strides[last];
  const Range inside = InsideOutputs(window, last, k[last]);
  const std::vector<int64_t> outer_dims(window.output.begin(), window.output.end() - 1);
  std::vector<int64_t> outer;
  for (int64_t row = begin / width; row * width < end; ++row) {
    const int64_t first = std::max(begin - row * width, int64_t{0});
    const int64_t limit = std::min(end - row * width, width);
    Unravel(row, outer_dims, outer);
    const int64_t source = OuterSource(window, outer, k);
    if (source < 0) {
      out = std::fill_n(out, limit - first, T(0));
      continue;
    }
    const int64_t from = std::clamp(inside.begin, first, limit);
    const int64_t to = std::clamp(inside.end, from, limit);
    out = std::fill_n(out, from - first, T(0));
    const T* in = plane + source * window.input[last];
    if (from < to) {
      in += window.Source(last, from, k[last]);
      if (stride == 1) {
        out = std::copy(in, in + (to - from), out);
      } else {
        for (int64_t o = from; o < to; ++o, in += stride) *out++ = *in;
      }
    }
    out = std::fill_n(out, limit - to, T(0));
  }
}

// y[o...] += w[k...] * x[...] for one channel and one filter.
template <class T>
void AccumulatePlane(const Window& window, const std::vector<Tap>& taps, const T* x, const T* w,
                     double* y) {
  const int64_t stride = window.strides.back();
  ForEachRow(window, taps, [&](size_t tap, int64_t to, int64_t from, int64_t count) {
    const double factor = w[tap];
    const T* const in = x + from;
    double* const target = y + to;
    if (stride == 1) {
      for (int64_t i = 0; i < count; ++i) target[i] += factor * in[i];
    } else {
      for (int64_t i = 0; i < count; ++i) target[i] += factor * in[i * stride];
    }
  });
}

template <class T>
void DepthwiseChannelsFirst(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y) {
  const int64_t multiplier = g.filters / g.channels;
  const int64_t in = g.window.input_size(), out = g.window.output_size(),
                kernel = g.window.kernel_size();
  const std::vector<Tap> taps = TapsOf(g.window);
  std::vector<double> sums(static_cast<size_t>(out));
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t m = 0; m < g.filters; ++m) {
      std::fill(sums.begin(), sums.end(), bias == nullptr ? 0 : bias[m]);
      AccumulatePlane(g.window, taps, x + (n * g.channels + m / multiplier) * in, w + m * kernel,
                      sums.data());
      for (const double sum : sums) *y++ = static_cast<T>(sum);
    }
  }
}

}  // namespace

template <class T>
void ConvChannelsFirst(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y) {
  const Window& window = g.window;
  if (g.groups == g.channels && g.groups > 1 && window.rank() > 0) {
    DepthwiseChannelsFirst(g, x, w, bias, y);
    return;
  }
  const int64_t channels = g.channels / g.groups, filters = g.filters / g.groups;
  const int64_t in = window.input_size(), out = window.output_size(), kernel = window.kernel_size();
  const int64_t patch = channels * kernel;
  const bool direct = window.is_identity();
  const int64_t tile = direct ? std::max<int64_t>(out, 1) : TileSize(patch, out);
  std::vector<T> columns(direct ? 0 : patch * std::min(tile, out));
  std::vector<int64_t> k;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t group = 0; group < g.groups; ++group) {
      const T* const source = x + (n * g.channels + group * channels) * in;
      const ConstBlock<T> weights(w + group * filters * patch, filters, patch,
                                  Eigen::OuterStride<>(patch));
      for (int64_t begin = 0; begin < out; begin += tile) {
        const int64_t count = std::min(tile, out - begin);
        const T* read = source;
        if (!direct) {
          T* row = columns.data();
          for (int64_t c = 0; c < channels; ++c) {
            for (int64_t offset = 0; offset < kernel; ++offset, row += count) {
              Unravel(offset, window.kernel, k);
              FillColumnRow(window, source + c * in, k, begin, begin + count, row);
            }
          }
          read = columns.data();
        }
        Block<T> result(y + (n * g.filters + group * filters) * out + begin, filters, count,
                        Eigen::OuterStride<>(out));
        if (patch == 0) {
          result.setZero();
        } else {
          AssignProduct(weights, ConstBlock<T>(read, patch, count, Eigen::OuterStride<>(count)),
                        result);
        }
        if (bias != nullptr) {
          for (int64_t m = 0; m < filters; ++m) result.row(m).array() += bias[group * filters + m];
        }
      }
    }
  }
}

template <class T>
void ConvChannelsLast(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y) {
  const Window& window = g.window;
  const int64_t channels = g.channels / g.groups, filters = g.filters / g.groups;
  const int64_t in = window.input_size(), out = window.output_size(), kernel = window.kernel_size();
  const int64_t patch = channels * kernel;
  const bool direct = window.is_identity();
  const int64_t tile = direct ? std::max<int64_t>(out, 1) : TileSize(patch, out);
  std::vector<T> rows(direct ? 0 : patch * std::min(tile, out));
  // The position in the input that output position p reads at kernel offset k, or -1.
  std::vector<std::vector<int64_t>> offsets(kernel);
  for (int64_t k = 0; k < kernel; ++k) Unravel(k, window.kernel, offsets[k]);
  std::vector<int64_t> o;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t group = 0; group < g.groups; ++group) {
      const T* const source = x + n * in * g.channels + group * channels;
      const ConstBlock<T> weights(w + group * filters * patch, filters, patch,
                                  Eigen::OuterStride<>(patch));
      for (int64_t begin = 0; begin < out; begin += tile) {
        const int64_t count = std::min(tile, out - begin);
        const T* read = source;
        if (!direct) {
          T* row = rows.data();
          for (int64_t p = begin; p < begin + count; ++p) {
            Unravel(p, window.output, o);
            for (int64_t k = 0; k < kernel; ++k, row += channels) {
              const int64_t position = OuterSource(window, o, offsets[k]);
              if (position < 0) {
                std::fill_n(row, channels, T(0));
              } else {
                std::copy_n(source + position * g.channels, channels, row);
              }
            }
          }
          read = rows.data();
        }
        Block<T> result(y + (n * out + begin) * g.filters + group * filters, count, filters,
                        Eigen::OuterStride<>(g.filters));
        if (patch == 0) {
          result.setZero();
        } else {
          const int64_t stride = direct ? g.channels : patch;
          AssignProduct(ConstBlock<T>(read, count, patch, Eigen::OuterStride<>(stride)),
                        weights.transpose(), result);
        }
        if (bias != nullptr) {
          result.rowwise() += Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>(
              bias + group * filters, filters);
        }
      }
    }
  }
}

template <class T>
void DepthwiseConvChannelsLast(const ConvGeometry& g, const T* x, const T* w, const T* bias, T* y) {
  if (g.filters == 0) return;  // nor channels, which divide
  const Window& window = g.window;
  const int64_t multiplier = g.filters / g.channels;
  const int64_t in = window.input_size(), out = window.output_size(), kernel = window.kernel_size();
  std::vector<std::vector<int64_t>> offsets(kernel);
  for (int64_t k = 0; k < kernel; ++k) Unravel(k, window.kernel, offsets[k]);
  std::vector<int64_t> o;
  std::vector<double> sums(static_cast<size_t>(g.filters));
  for (int64_t n = 0; n < g.batch; ++n, x += in * g.channels) {
    for (int64_t p = 0; p < out; ++p) {
      if (bias == nullptr) {
        std::fill(sums.begin(), sums.end(), 0);
      } else {
        std::copy_n(bias, g.filters, sums.begin());
      }
      Unravel(p, window.output, o);
      for (int64_t k = 0; k < kernel; ++k) {
        const int64_t position = OuterSource(window, o, offsets[k]);
        if (position < 0) continue;
        const T* const read = x + position * g.channels;
        const T* const weight = w + k * g.filters;
        if (multiplier == 1) {
          for (int64_t c = 0; c < g.channels; ++c) sums[c] += double{read[c]} * weight[c];
        } else {
          for (int64_t m = 0; m < g.filters; ++m)
            sums[m] += double{read[m / multiplier]} * weight[m];
        }
      }
      for (const double sum : sums) *y++ = static_cast<T>(sum);
    }
  }
}

template void ConvChannelsFirst(const ConvGeometry&, const float*, const float*, const float*,
                                float*);
template void ConvChannelsFirst(const ConvGeometry&, const double*, const double*, const double*,
                                double*);
template void ConvChannelsLast(const ConvGeometry&, const float*, const float*, const float*,
                               float*);
template void ConvChannelsLast(const ConvGeometry&, const double*, const double*, const double*,
                               double*);
template void DepthwiseConvChannelsLast(const ConvGeometry&, const float*, const float*,
                                        const float*, float*);
template void DepthwiseConvChannelsLast(const ConvGeometry&, const double*, const double*,
                                        const double*, double*);

}  // namespace tessera::kernels

#include "kernels/conv_transpose.h"

#include <algorithm>
#include <vector>

#include "Eigen/Core"
#include "kernels/product.h"

namespace tessera::kernels {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstBlock = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;

// The linear output position to which input position o adds at offset k, or -1.
int64_t Target(const Window& window, const std::vector<int64_t>& o, const std::vector<int64_t>& k) {
  int64_t position = 0;
  for (size_t d = 0; d < window.rank(); ++d) {
    const int64_t i = window.Source(d, o[d], k[d]);
    if (i < 0 || i >= window.input[d]) return -1;
    position = position * window.input[d] + i;
  }
  return position;
}

// Input positions that are multiplied at once, so that the products stay small.
int64_t TileSize(int64_t products, int64_t positions) {
  constexpr int64_t kElements = int64_t{1} << 18;
  return std::clamp<int64_t>(kElements / std::max<int64_t>(products, 1), 64,
                             std::max<int64_t>(positions, 64));
}

}  // namespace

template <class T>
void ConvTransposeChannelsFirst(const ConvTransposeGeometry& g, const T* x, const T* w,
                                const T* bias, T* y) {
  const Window& window = g.window;
  const int64_t channels = g.channels / g.groups, filters = g.filters / g.groups;
  const int64_t in = window.output_size(), out = window.input_size(), kernel = window.kernel_size();
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t m = 0; m < g.filters; ++m) {
      std::fill_n(y + (n * g.filters + m) * out, out, bias == nullptr ? T(0) : bias[m]);
    }
  }
  const int64_t products = filters * kernel;
  if (channels == 0 || products == 0 || in == 0) return;
  const int64_t tile = TileSize(products, in);
  Matrix<T> columns(products, std::min(tile, in));
  std::vector<int64_t> targets(kernel * std::min(tile, in)), o, k;
  for (int64_t begin = 0; begin < in; begin += tile) {
    const int64_t count = std::min(tile, in - begin);
    for (int64_t offset = 0; offset < kernel; ++offset) {
      Unravel(offset, window.kernel, k);
      for (int64_t p = 0; p < count; ++p) {
        Unravel(begin + p, window.output, o);
        targets[offset * count + p] = Target(window, o, k);
      }
    }
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t group = 0; group < g.groups; ++group) {
        const ConstBlock<T> read(x + (n * g.channels + group * channels) * in + begin, channels,
                                 count, Eigen::OuterStride<>(in));
        const ConstBlock<T> weights(w + group * channels * products, channels, products,
                                    Eigen::OuterStride<>(products));
        AssignProduct(weights.transpose(), read, columns.leftCols(count));
        for (int64_t row = 0; row < products; ++row) {
          T* const plane = y + (n * g.filters + group * filters + row / kernel) * out;
          const int64_t* const target = targets.data() + row % kernel * count;
          for (int64_t p = 0; p < count; ++p) {
            if (target[p] >= 0) plane[target[p]] += columns(row, p);
          }
        }
      }
    }
  }
}

template <class T>
void ConvTransposeChannelsLast(const ConvTransposeGeometry& g, const T* x, const T* w,
                               const T* bias, T* y) {
  const Window& window = g.window;
  const int64_t in = window.output_size(), out = window.input_size(), kernel = window.kernel_size();
  for (int64_t p = 0; p < g.batch * out; ++p) {
    if (bias == nullptr) {
      std::fill_n(y + p * g.filters, g.filters, T(0));
    } else {
      std::copy_n(bias, g.filters, y + p * g.filters);
    }
  }
  if (g.channels == 0 || g.filters == 0 || kernel == 0 || in == 0) return;
  // Filters regrouped as [kernel..., filters, channels], so that what one offset adds is
  // contiguous.
  Matrix<T> weights(kernel * g.filters, g.channels);
  for (int64_t m = 0; m < g.filters; ++m) {
    for (int64_t k = 0; k < kernel; ++k) {
      std::copy_n(w + (m * kernel + k) * g.channels, g.channels,
                  weights.data() + (k * g.filters + m) * g.channels);
    }
  }
  const int64_t tile = TileSize(kernel * g.filters, in);
  Matrix<T> rows(std::min(tile, in), kernel * g.filters);
  std::vector<std::vector<int64_t>> offsets(kernel);
  for (int64_t k = 0; k < kernel; ++k) Unravel(k, window.kernel, offsets[k]);
  std::vector<int64_t> o;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t begin = 0; begin < in; begin += tile) {
      const int64_t count = std::min(tile, in - begin);
      AssignProduct(ConstBlock<T>(x + (n * in + begin) * g.channels, count, g.channels,
                                  Eigen::OuterStride<>(g.channels)),
                    weights.transpose(), rows.topRows(count));
      for (int64_t p = 0; p < count; ++p) {
        Unravel(begin + p, window.output, o);
        for (int64_t k = 0; k < kernel; ++k) {
          const int64_t position = Target(window, o, offsets[k]);
          if (position < 0) continue;
          T* const target = y + (n * out + position) * g.filters;
          const T* const product = rows.data() + (p * kernel + k) * g.filters;
          for (int64_t m = 0; m < g.filters; ++m) target[m] += product[m];
        }
      }
    }
  }
}

template void ConvTransposeChannelsFirst(const ConvTransposeGeometry&, const float*, const float*,
                                         const float*, float*);
template void ConvTransposeChannelsFirst(const ConvTransposeGeometry&, const double*, const double*,
                                         const double*, double*);
template void ConvTransposeChannelsLast(const ConvTransposeGeometry&, const float*, const float*,
                                        const float*, float*);
template void ConvTransposeChannelsLast(const ConvTransposeGeometry&, const double*, const double*,
                                        const double*, double*);

}  // namespace tessera::kernels

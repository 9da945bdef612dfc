#include "kernels/conv_transpose.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/testing.h"

namespace tessera::kernels {
namespace {

// The adjoint of the convolution: y[m, Read(o, k)] += x[c, o] * w[c, m, k].
TEST(ConvTranspose, IsTheAdjointOfConvolution) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    ConvTransposeGeometry g;
    g.batch = Draw(random, 1, 2);
    g.groups = Draw(random, 1, 3);
    const int64_t channels = Draw(random, 1, 3), filters = Draw(random, 1, 3);
    g.channels = g.groups * channels;
    g.filters = g.groups * filters;
    g.window = DrawWindow(random, i % 4);
    const int64_t in = g.window.output_size(), out = g.window.input_size(),
                  kernel = g.window.kernel_size();
    const std::vector<float> x = Values<float>(random, g.batch * g.channels * in);
    const std::vector<float> w = Values<float>(random, g.channels * filters * kernel);
    const std::vector<float> bias = Values<float>(random, g.filters);
    std::vector<float> expected(g.batch * g.filters * out);
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t m = 0; m < g.filters; ++m) {
        float* const plane = expected.data() + (n * g.filters + m) * out;
        if (i % 2 == 0) std::fill_n(plane, out, bias[m]);
        for (int64_t c = m / filters * channels; c < (m / filters + 1) * channels; ++c) {
          for (int64_t o = 0; o < in; ++o) {
            for (int64_t k = 0; k < kernel; ++k) {
              const int64_t position = Read(g.window, o, k);
              if (position < 0) continue;
              plane[position] +=
                  x[(n * g.channels + c) * in + o] * w[(c * filters + m % filters) * kernel + k];
            }
          }
        }
      }
    }
    std::vector<float> y(expected.size(), -1e9f);
    ConvTransposeChannelsFirst(g, x.data(), w.data(), i % 2 == 0 ? bias.data() : nullptr, y.data());
    ASSERT_EQ(y, expected) << "case " << i;

    if (g.groups != 1) continue;
    std::vector<float> x_last(x.size()), w_last(w.size()), y_last(y.size());
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t c = 0; c < g.channels; ++c) {
        for (int64_t o = 0; o < in; ++o)
          x_last[(n * in + o) * g.channels + c] = x[(n * g.channels + c) * in + o];
      }
    }
    for (int64_t c = 0; c < g.channels; ++c) {
      for (int64_t m = 0; m < g.filters; ++m) {
        for (int64_t k = 0; k < kernel; ++k) {
          w_last[(m * kernel + k) * g.channels + c] = w[(c * g.filters + m) * kernel + k];
        }
      }
    }
    ConvTransposeChannelsLast(g, x_last.data(), w_last.data(), i % 2 == 0 ? bias.data() : nullptr,
                              y_last.data());
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t m = 0; m < g.filters; ++m) {
        for (int64_t p = 0; p < out; ++p) {
          ASSERT_EQ(y_last[(n * out + p) * g.filters + m], expected[(n * g.filters + m) * out + p])
              << "case " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::kernels

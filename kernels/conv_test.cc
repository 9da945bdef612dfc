#include "kernels/conv.h"

#include <vector>

#include "gtest/gtest.h"
#include "kernels/testing.h"

namespace tessera::kernels {
namespace {

struct Case {
  ConvGeometry geometry;
  std::vector<double> x, w, bias;  // channels first
};

Case DrawCase(std::mt19937& random, size_t rank, bool depthwise) {
  Case c;
  ConvGeometry& g = c.geometry;
  g.batch = Draw(random, 1, 2);
  g.groups = Draw(random, 1, 3);
  g.channels = g.groups * (depthwise ? 1 : Draw(random, 1, 3));
  g.filters = g.groups * Draw(random, 1, 3);
  g.window = DrawWindow(random, rank);
  c.x = Values<double>(random, g.batch * g.channels * g.window.input_size());
  c.w = Values<double>(random, g.filters * g.channels / g.groups * g.window.kernel_size());
  c.bias = Values<double>(random, g.filters);
  return c;
}

// The definition.
std::vector<double> Convolve(const Case& c, bool bias) {
  const ConvGeometry& g = c.geometry;
  const int64_t in = g.window.input_size(), out = g.window.output_size(),
                kernel = g.window.kernel_size();
  const int64_t channels = g.channels / g.groups, filters = g.filters / g.groups;
  std::vector<double> y;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t m = 0; m < g.filters; ++m) {
      for (int64_t o = 0; o < out; ++o) {
        double sum = bias ? c.bias[m] : 0;
        for (int64_t i = 0; i < channels; ++i) {
          for (int64_t k = 0; k < kernel; ++k) {
            const int64_t position = Read(g.window, o, k);
            if (position < 0) continue;
            sum += c.x[(n * g.channels + m / filters * channels + i) * in + position] *
                   c.w[(m * channels + i) * kernel + k];
          }
        }
        y.push_back(sum);
      }
    }
  }
  return y;
}

// [outer, a, b] to [outer, b, a].
std::vector<double> Swapped(const std::vector<double>& v, int64_t outer, int64_t a, int64_t b) {
  std::vector<double> swapped(v.size());
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < a; ++j) {
      for (int64_t k = 0; k < b; ++k) swapped[(i * b + k) * a + j] = v[(i * a + j) * b + k];
    }
  }
  return swapped;
}

TEST(Conv, ChannelsFirstIsTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    const Case c = DrawCase(random, i % 4, i % 3 == 0);
    const bool bias = i % 2 == 0;
    const std::vector<double> expected = Convolve(c, bias);
    std::vector<double> y(expected.size(), -1e9);
    ConvChannelsFirst(c.geometry, c.x.data(), c.w.data(), bias ? c.bias.data() : nullptr, y.data());
    ASSERT_EQ(y, expected) << "case " << i;
    const std::vector<float> xf(c.x.begin(), c.x.end()), wf(c.w.begin(), c.w.end()),
        bf(c.bias.begin(), c.bias.end());
    std::vector<float> yf(y.size());
    ConvChannelsFirst(c.geometry, xf.data(), wf.data(), bias ? bf.data() : nullptr, yf.data());
    ASSERT_EQ(std::vector<double>(yf.begin(), yf.end()), expected) << "case " << i;
  }
}

TEST(Conv, ChannelsLastIsTheDefinition) {
  std::mt19937 random(2);
  for (int i = 0; i < 600; ++i) {
    const Case c = DrawCase(random, i % 4, i % 3 == 0);
    const ConvGeometry& g = c.geometry;
    const bool bias = i % 2 == 0;
    const int64_t in = g.window.input_size(), out = g.window.output_size(),
                  kernel = g.window.kernel_size();
    const std::vector<double> expected = Convolve(c, bias);
    std::vector<double> y(expected.size(), -1e9);
    ConvChannelsLast(g, Swapped(c.x, g.batch, g.channels, in).data(),
                     Swapped(c.w, g.filters, g.channels / g.groups, kernel).data(),
                     bias ? c.bias.data() : nullptr, y.data());
    ASSERT_EQ(Swapped(y, g.batch, out, g.filters), expected) << "case " << i;
  }
}

TEST(Conv, DepthwiseChannelsLastIsTheDefinition) {
  std::mt19937 random(3);
  for (int i = 0; i < 400; ++i) {
    const Case c = DrawCase(random, i % 4, true);
    const ConvGeometry& g = c.geometry;
    const bool bias = i % 2 == 0;
    const int64_t in = g.window.input_size(), out = g.window.output_size(),
                  kernel = g.window.kernel_size();
    const std::vector<double> expected = Convolve(c, bias);
    std::vector<double> y(expected.size(), -1e9);
    DepthwiseConvChannelsLast(g, Swapped(c.x, g.batch, g.channels, in).data(),
                              Swapped(c.w, 1, g.filters, kernel).data(),
                              bias ? c.bias.data() : nullptr, y.data());
    ASSERT_EQ(Swapped(y, g.batch, out, g.filters), expected) << "case " << i;
  }
}

// Larger than one tile of columns, so that tiles begin inside rows.
TEST(Conv, TilesMeet) {
  std::mt19937 random(4);
  Case c;
  ConvGeometry& g = c.geometry;
  g.channels = 64;
  g.filters = 2;
  g.window = {{37, 41}, {3, 5}, {37, 41}, {1, 1}, {1, 1}, {1, 2}};
  c.x = Values<double>(random, g.channels * g.window.input_size());
  c.w = Values<double>(random, g.filters * g.channels * g.window.kernel_size());
  c.bias = Values<double>(random, g.filters);
  const std::vector<double> expected = Convolve(c, true);
  std::vector<double> y(expected.size());
  ConvChannelsFirst(g, c.x.data(), c.w.data(), c.bias.data(), y.data());
  EXPECT_EQ(y, expected);
  ConvChannelsLast(g, Swapped(c.x, 1, g.channels, g.window.input_size()).data(),
                   Swapped(c.w, g.filters, g.channels, g.window.kernel_size()).data(),
                   c.bias.data(), y.data());
  EXPECT_EQ(Swapped(y, 1, g.window.output_size(), g.filters), expected);
}

TEST(Conv, NoChannelsLeaveTheBias) {
  ConvGeometry g;
  g.channels = 0;
  g.filters = 2;
  g.window = {{3}, {2}, {2}, {1}, {1}, {0}};
  const std::vector<float> bias = {5, 7};
  std::vector<float> y(4, -1);
  ConvChannelsFirst<float>(g, nullptr, nullptr, bias.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{5, 5, 7, 7}));
  ConvChannelsLast<float>(g, nullptr, nullptr, bias.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{5, 7, 5, 7}));
}

}  // namespace
}  // namespace tessera::kernels

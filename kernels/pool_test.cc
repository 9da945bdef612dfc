#include "kernels/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/testing.h"

namespace tessera::kernels {
namespace {

TEST(Pool, IsTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    PoolGeometry g;
    g.planes = Draw(random, 1, 3);
    g.inner = Draw(random, 1, 3);
    g.window = DrawWindow(random, i % 4);
    // The padding that the window was drawn with, or less of it, as in ceil mode.
    std::vector<int64_t> pads_end;
    for (size_t d = 0; d < g.window.rank(); ++d) pads_end.push_back(Draw(random, 0, 2));
    const int64_t in = g.window.input_size(), out = g.window.output_size();
    const std::vector<double> x = Values<double>(random, g.planes * in * g.inner);
    std::vector<double> max, mean, padded_mean;
    for (int64_t p = 0; p < g.planes; ++p) {
      for (int64_t o = 0; o < out; ++o) {
        int64_t inside = 0, counted = 0;
        for (int64_t k = 0; k < g.window.kernel_size(); ++k) {
          inside += Read(g.window, o, k) >= 0;
          std::vector<int64_t> at, offset;
          Unravel(o, g.window.output, at);
          Unravel(k, g.window.kernel, offset);
          bool counts = true;
          for (size_t d = 0; d < g.window.rank(); ++d) {
            const int64_t s = g.window.Source(d, at[d], offset[d]);
            counts = counts && s >= -g.window.pads_begin[d] && s < g.window.input[d] + pads_end[d];
          }
          counted += counts;
        }
        for (int64_t c = 0; c < g.inner; ++c) {
          double best = -std::numeric_limits<double>::infinity(), sum = 0;
          for (int64_t k = 0; k < g.window.kernel_size(); ++k) {
            const int64_t position = Read(g.window, o, k);
            if (position < 0) continue;
            const double v = x[(p * in + position) * g.inner + c];
            best = std::max(best, v);
            sum += v;
          }
          max.push_back(best);
          mean.push_back(inside == 0 ? 0 : sum / static_cast<double>(inside));
          padded_mean.push_back(counted == 0 ? 0 : sum / static_cast<double>(counted));
        }
      }
    }
    std::vector<double> y(max.size(), -1e9);
    MaxPool(g, x.data(), y.data());
    ASSERT_EQ(y, max) << "case " << i;
    AveragePool(g, false, pads_end, x.data(), y.data());
    ASSERT_EQ(y, mean) << "case " << i;
    AveragePool(g, true, pads_end, x.data(), y.data());
    ASSERT_EQ(y, padded_mean) << "case " << i;
  }
}

TEST(Pool, MaximumPropagatesNan) {
  PoolGeometry g;
  g.window = {{4}, {2}, {3}, {1}, {1}, {0}};
  const std::vector<float> x = {1, std::nanf(""), 2, 3};
  std::vector<float> y(3);
  MaxPool(g, x.data(), y.data());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 3);
}

}  // namespace
}  // namespace tessera::kernels

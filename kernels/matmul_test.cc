#include "kernels/matmul.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/testing.h"

namespace tessera::kernels {
namespace {

int64_t Count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return count;
}

TEST(MatMul, IsTheDefinitionForEveryBroadcastAndTransposition) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    MatMulGeometry g;
    g.rows = Draw(random, 1, 5);
    g.inner = Draw(random, 0, 5);
    g.columns = Draw(random, 1, 5);
    g.transpose_a = i % 2 != 0;
    g.transpose_b = i / 2 % 2 != 0;
    const int64_t rank = Draw(random, 0, 3);
    for (int64_t d = 0; d < rank; ++d) g.batch.push_back(Draw(random, 1, 3));
    for (std::vector<int64_t>* operand : {&g.a_batch, &g.b_batch}) {
      // One of the two has the full batch.
      const bool full = operand == &g.a_batch ? i % 3 != 0 : i % 3 == 0;
      *operand = g.batch;
      if (full) continue;
      for (int64_t& d : *operand) d = Draw(random, 0, 1) == 0 ? d : 1;
      while (!operand->empty() && Draw(random, 0, 2) == 0) operand->erase(operand->begin());
    }
    const std::vector<float> a = Values<float>(random, Count(g.a_batch) * g.rows * g.inner);
    const std::vector<float> b = Values<float>(random, Count(g.b_batch) * g.inner * g.columns);
    const std::vector<float> bias = Values<float>(random, g.columns);
    const bool biased = Draw(random, 0, 1) == 0;
    std::vector<float> expected;
    std::vector<int64_t> index;
    const auto matrix = [&](const std::vector<int64_t>& operand) {
      int64_t position = 0;
      for (size_t d = 0; d < operand.size(); ++d) {
        const int64_t at = index[index.size() - operand.size() + d];
        position = position * operand[d] + (operand[d] == 1 ? 0 : at);
      }
      return position;
    };
    for (int64_t n = 0; n < Count(g.batch); ++n) {
      Unravel(n, g.batch, index);
      const float* const am = a.data() + matrix(g.a_batch) * g.rows * g.inner;
      const float* const bm = b.data() + matrix(g.b_batch) * g.inner * g.columns;
      for (int64_t r = 0; r < g.rows; ++r) {
        for (int64_t c = 0; c < g.columns; ++c) {
          float sum = biased ? bias[c] : 0;
          for (int64_t k = 0; k < g.inner; ++k) {
            sum += am[g.transpose_a ? k * g.rows + r : r * g.inner + k] *
                   bm[g.transpose_b ? c * g.inner + k : k * g.columns + c];
          }
          expected.push_back(sum);
        }
      }
    }
    std::vector<float> y(expected.size(), -1e9f);
    MatMul(g, a.data(), b.data(), biased ? bias.data() : nullptr, y.data());
    ASSERT_EQ(y, expected) << "case " << i;
  }
}

}  // namespace
}  // namespace tessera::kernels

#include "kernels/transpose.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/testing.h"

namespace tessera::kernels {
namespace {

using Dims = std::vector<int64_t>;

// Element `i` of the result is element SourceOf(i) of the source.
int64_t SourceOf(const Dims& dims, const Dims& perm, int64_t i) {
  Dims result;
  for (int64_t d : perm) result.push_back(dims[d]);
  std::vector<int64_t> at, from(dims.size());
  Unravel(i, result, at);
  for (size_t d = 0; d < perm.size(); ++d) from[perm[d]] = at[d];
  int64_t linear = 0;
  for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + from[d];
  return linear;
}

// With both sides off by one byte from any alignment.
void Check(const Dims& dims, const Dims& perm, size_t bytes) {
  const int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  std::vector<uint8_t> source(count * bytes + 1), target(count * bytes + 2, 0xee);
  std::mt19937 random(static_cast<uint32_t>(count));
  for (uint8_t& byte : source) byte = static_cast<uint8_t>(random());
  Transpose(dims, perm, bytes, source.data() + 1, target.data() + 1);
  EXPECT_EQ(target.front(), 0xee);
  EXPECT_EQ(target.back(), 0xee);
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(
        std::memcmp(&target[1 + i * bytes], &source[1 + SourceOf(dims, perm, i) * bytes], bytes), 0)
        << "element " << i;
  }
  // In parts, each cut anywhere.
  std::vector<uint8_t> parts(target.size(), 0xee);
  for (int64_t first = 0; first < count;) {
    const int64_t part = std::min<int64_t>(count - first, 1 + static_cast<int64_t>(random() % 97));
    TransposeRange(dims, perm, bytes, source.data() + 1, first, part,
                   parts.data() + 1 + static_cast<size_t>(first) * bytes);
    first += part;
  }
  EXPECT_TRUE(parts == target);
}

TEST(Transpose, IsTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    Dims dims(round % 6), perm(dims.size());
    for (int64_t& dim : dims) dim = Draw(random, 1, 7);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    Check(dims, perm, size_t{1} << round % 4);
  }
}

TEST(Transpose, SizesAroundTiles) {
  for (int64_t rows : {1, 15, 16, 17, 33, 130}) {
    for (int64_t columns : {1, 7, 8, 9, 64, 65}) {
      for (size_t bytes : {1, 2, 4, 8}) {
        Check({rows, columns}, {1, 0}, bytes);
        Check({3, rows, columns}, {0, 2, 1}, bytes);
        Check({rows, 2, columns}, {2, 1, 0}, bytes);
        Check({rows, 2, columns}, {1, 0, 2}, bytes);
      }
    }
  }
}

TEST(Transpose, WithoutElementsNothingIsTouched) {
  const Dims dims{3, 0, 2}, perm{2, 0, 1};
  Transpose(dims, perm, 4, nullptr, nullptr);
}

}  // namespace
}  // namespace tessera::kernels

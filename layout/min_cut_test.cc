#include "layout/min_cut.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::layout {
namespace {

struct Pair {
  size_t a, b;
  int64_t zero_one, one_zero;
};

TEST(MinCutTest, CheapestOfAllAssignments) {
  std::mt19937 random(7);
  const auto draw = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    const size_t nodes = 1 + static_cast<size_t>(draw(8));
    MinCut cut(nodes);
    std::vector<std::pair<int64_t, int64_t>> own(nodes);
    std::vector<Pair> pairs;
    for (size_t n = 0; n < nodes; ++n) {
      own[n] = {draw(10), draw(10)};
      cut.AddNodeCost(n, own[n].first, own[n].second);
    }
    for (int64_t p = draw(12); p > 0 && nodes > 1; --p) {
      const size_t a = static_cast<size_t>(draw(nodes)),
                   b = (a + 1 + static_cast<size_t>(draw(nodes - 1))) % nodes;
      pairs.push_back({a, b, draw(10), draw(10)});
      cut.AddPairCost(a, b, pairs.back().zero_one, pairs.back().one_zero);
    }
    const auto cost = [&](auto label) {
      int64_t sum = 0;
      for (size_t n = 0; n < nodes; ++n) sum += label(n) ? own[n].second : own[n].first;
      for (const Pair& p : pairs) {
        if (!label(p.a) && label(p.b)) sum += p.zero_one;
        if (label(p.a) && !label(p.b)) sum += p.one_zero;
      }
      return sum;
    };
    int64_t best = std::numeric_limits<int64_t>::max();
    for (size_t bits = 0; bits < size_t{1} << nodes; ++bits) {
      best = std::min(best, cost([&](size_t n) { return (bits >> n & 1) != 0; }));
    }
    const std::vector<bool> labels = cut.Solve();
    EXPECT_EQ(cost([&](size_t n) { return labels[n]; }), best) << "round " << round;
  }
}

TEST(MinCutTest, LongChains) {
  const size_t nodes = 200000;
  MinCut cut(nodes);
  cut.AddNodeCost(0, 5, 0);
  cut.AddNodeCost(nodes - 1, 0, 3);
  for (size_t n = 0; n + 1 < nodes; ++n) cut.AddPairCost(n, n + 1, 4, 4);
  const std::vector<bool> labels = cut.Solve();
  EXPECT_TRUE(labels.front());
  EXPECT_TRUE(labels.back());
}

}  // namespace
}  // namespace tessera::layout

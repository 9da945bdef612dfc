// The least over all assignments, against trying every one of them; and graphs of the width that
// skip connections make, at a size that no trial of all would end at.
#include "targets/vulkan/selection/cheapest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace tessera::vulkan {
namespace {

double CostOf(const std::vector<size_t>& choices, const std::vector<CostTable>& tables,
              const std::vector<size_t>& values) {
  double cost = 0;
  for (const CostTable& table : tables) {
    size_t place = 0;
    for (size_t v : table.variables) place = place * choices[v] + values[v];
    cost += table.costs[place];
  }
  return cost;
}

CostTable RandomTable(const std::vector<size_t>& choices, std::vector<size_t> variables,
                      std::mt19937& random) {
  CostTable table{std::move(variables), {}};
  size_t entries = 1;
  for (size_t v : table.variables) entries *= choices[v];
  for (size_t i = 0; i < entries; ++i) table.costs.push_back(static_cast<double>(random() % 1000));
  return table;
}

TEST(Cheapest, IsTheLeastOfAll) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<size_t> choices;
    const size_t count = 1 + random() % 7;
    for (size_t i = 0; i < count; ++i) choices.push_back(1 + random() % 3);
    std::vector<CostTable> tables;
    const size_t number = random() % 9;
    for (size_t t = 0; t < number; ++t) {
      std::vector<size_t> variables;
      for (size_t v = 0; v < choices.size(); ++v) {
        if (random() % 3 == 0) variables.push_back(v);
      }
      std::reverse(variables.begin(), variables.end());
      tables.push_back(RandomTable(choices, std::move(variables), random));
    }
    const double found = CostOf(choices, tables, Cheapest(choices, tables));
    double least = std::numeric_limits<double>::infinity();
    std::vector<size_t> values(choices.size(), 0);
    for (;;) {
      least = std::min(least, CostOf(choices, tables, values));
      size_t v = 0;
      while (v < values.size() && ++values[v] == choices[v]) values[v++] = 0;
      if (v == values.size()) break;
    }
    EXPECT_EQ(found, least) << trial;
  }
}

// A chain of layers, each of the first half joined with its mirror image in the second: ten skip
// connections within one another, and a hundred. Tables over a variable and two neighbours do.
TEST(Cheapest, NestedSkipConnectionsAreNarrow) {
  std::mt19937 random(11);
  for (const size_t depth : {10, 100}) {
    const std::vector<size_t> choices(2 * depth, 4);
    std::vector<CostTable> tables;
    for (size_t v = 0; v + 1 < choices.size(); ++v)
      tables.push_back(RandomTable(choices, {v, v + 1}, random));
    for (size_t v = 0; v < depth; ++v) {
      if (2 * depth - 1 - v > v + 1)
        tables.push_back(RandomTable(choices, {v, 2 * depth - 1 - v}, random));
    }
    const std::vector<size_t> wide = Cheapest(choices, tables),
                              narrow = Cheapest(choices, tables, 64);
    EXPECT_EQ(CostOf(choices, tables, wide), CostOf(choices, tables, narrow)) << depth;
  }
}

// What would take a larger table stays at 0, the rest is the least.
TEST(Cheapest, HoldsWhatIsTooWide) {
  const std::vector<size_t> choices(3, 3);
  std::vector<double> costs(27, 5);
  costs[9 * 2 + 3 * 2 + 2] = 0;  // 2, 2, 2
  costs[3 * 1 + 2] = 1;          // 0, 1, 2
  EXPECT_EQ(Cheapest(choices, {{{0, 1, 2}, costs}}), (std::vector<size_t>{2, 2, 2}));
  EXPECT_EQ(Cheapest(choices, {{{0, 1, 2}, costs}}, 9), (std::vector<size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace tessera::vulkan

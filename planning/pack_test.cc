#include "planning/pack.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "planning/stack.h"

namespace tessera::planning {
namespace {

// The least size of all plans, by trying every order: a plan in which nothing can be moved down is
// found by placing buffers by offset, each as low as it goes above those already placed.
int64_t LeastSize(const std::vector<Buffer>& buffers, std::vector<int64_t>& offsets, int64_t size,
                  int64_t best) {
  if (size >= best) return best;
  bool all = true;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] >= 0) continue;
    all = false;
    int64_t at = 0;
    for (size_t j = 0; j < buffers.size(); ++j) {
      if (offsets[j] < 0 || buffers[i].begin >= buffers[j].end ||
          buffers[j].begin >= buffers[i].end)
        continue;
      at = std::max(at, offsets[j] + buffers[j].size);
    }
    offsets[i] = (at + buffers[i].alignment - 1) / buffers[i].alignment * buffers[i].alignment;
    best = LeastSize(buffers, offsets, std::max(size, offsets[i] + buffers[i].size), best);
    offsets[i] = -1;
  }
  return all ? size : best;
}

std::vector<Buffer> Random(std::mt19937_64& random, size_t count, bool aligned) {
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = static_cast<int64_t>(random() % 8);
    buffers.push_back({begin, begin + 1 + static_cast<int64_t>(random() % 5),
                       1 + static_cast<int64_t>(random() % 12),
                       aligned ? 1 + static_cast<int64_t>(random() % 4) : 1});
  }
  return buffers;
}

TEST(Pack, FindsTheLeastSizeOfSmallSets) {
  std::mt19937_64 random(3);
  int above_the_bound = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::vector<Buffer> buffers = Random(random, 3 + random() % 4, round % 2 == 1);
    std::vector<int64_t> offsets(buffers.size(), -1);
    const int64_t least = LeastSize(buffers, offsets, 0, 1000);
    const Packing packing = Pack(buffers);
    EXPECT_EQ(packing.size, least) << round;
    EXPECT_TRUE(packing.optimal) << round;
    EXPECT_FALSE(Overlap(buffers, packing.offsets)) << round;
    for (size_t i = 0; i < buffers.size(); ++i)
      EXPECT_EQ(packing.offsets[i] % buffers[i].alignment, 0);
    if (least > packing.lower_bound) ++above_the_bound;
  }
  EXPECT_GT(above_the_bound, 10);
}

// A full rectangle cut into pieces: nothing is wasted in the plan that it came from.
std::vector<Buffer> CutRectangle(uint64_t seed, int64_t steps, int64_t size, size_t pieces) {
  std::mt19937_64 random(seed);
  struct Piece {
    int64_t begin, end, low, high;
  };
  std::vector<Piece> all = {{0, steps, 0, size}};
  while (all.size() < pieces) {
    Piece& piece = all[random() % all.size()];
    Piece rest = piece;
    if (random() % 2 == 0) {
      if (piece.end - piece.begin < 2) continue;
      const int64_t span = piece.end - piece.begin - 1;
      piece.end = rest.begin =
          piece.begin + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(span));
    } else {
      if (piece.high - piece.low < 2) continue;
      const int64_t span = piece.high - piece.low - 1;
      piece.high = rest.low =
          piece.low + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(span));
    }
    all.push_back(rest);
  }
  std::shuffle(all.begin(), all.end(), random);
  std::vector<Buffer> buffers;
  for (const Piece& piece : all)
    buffers.push_back({piece.begin, piece.end, piece.high - piece.low, 1});
  return buffers;
}

TEST(Pack, FitsWhatWasCutFromAFullRectangle) {
  int solved = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const std::vector<Buffer> buffers = CutRectangle(seed, 40, 1000, 40);
    EXPECT_EQ(LowerBound(buffers), 1000);
    const Packing packing = Pack(buffers, {.effort = 30'000, .capacity = 1000});
    EXPECT_FALSE(Overlap(buffers, packing.offsets));
    EXPECT_LE(packing.placements, 30'000);
    if (packing.size == 1000) ++solved;
    EXPECT_EQ(packing.optimal, packing.size == 1000);
  }
  EXPECT_EQ(solved, 12);
}

TEST(Pack, IsTheSameEachTime) {
  const std::vector<Buffer> buffers = CutRectangle(5, 60, 4000, 90);
  const Packing once = Pack(buffers, {.effort = 5000});
  const Packing again = Pack(buffers, {.effort = 5000});
  EXPECT_EQ(once.offsets, again.offsets);
  EXPECT_EQ(once.size, again.size);
}

TEST(Pack, TakesWhatIsNeverLiveOrEmpty) {
  EXPECT_EQ(Pack({}).size, 0);
  EXPECT_TRUE(Pack({}).optimal);
  const std::vector<Buffer> buffers = {{0, 4, 0, 64}, {2, 2, 100, 1}, {1, 3, 5, 1}};
  const Packing packing = Pack(buffers);
  EXPECT_EQ(packing.size, 5);
  EXPECT_TRUE(packing.optimal);
}

TEST(Pack, StopsAtTheCapacityThatIsEnough) {
  const std::vector<Buffer> buffers = CutRectangle(5, 60, 4000, 90);
  const Packing packing = Pack(buffers, {.capacity = 1 << 20});
  EXPECT_EQ(packing.placements, 0);
  EXPECT_FALSE(Overlap(buffers, packing.offsets));
}

TEST(Stacking, HoldsForAnySizes) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 100; ++round) {
    std::vector<Buffer> buffers = Random(random, 4 + random() % 12, true);
    const Packing packing = Pack(buffers, {.effort = 500});
    const Stacking stacking = StackingOf(buffers, packing.offsets);
    const auto offsets_for = [&](const std::vector<int64_t>& sizes) {
      return OffsetsFor<int64_t>(
          stacking, sizes, 0,
          [](const std::vector<int64_t>& ends) {
            return *std::max_element(ends.begin(), ends.end());
          },
          [](int64_t a, int64_t alignment) { return (a + alignment - 1) / alignment * alignment; });
    };
    std::vector<int64_t> sizes;
    for (const Buffer& buffer : buffers) sizes.push_back(buffer.size);
    // For the sizes that it was made of no offset is above the plan's.
    const std::vector<int64_t> same = offsets_for(sizes);
    for (size_t i = 0; i < buffers.size(); ++i) EXPECT_LE(same[i], packing.offsets[i]);
    for (size_t i = 0; i < buffers.size(); ++i)
      buffers[i].size = sizes[i] = static_cast<int64_t>(random() % 100);
    const std::vector<int64_t> others = offsets_for(sizes);
    EXPECT_FALSE(Overlap(buffers, others)) << round;
    for (size_t i = 0; i < buffers.size(); ++i) EXPECT_EQ(others[i] % buffers[i].alignment, 0);
  }
}

TEST(Stacking, NamesOfAPileTheNextOneOnly) {
  const std::vector<Buffer> buffers(50, {0, 4, 1, 1});
  std::vector<int64_t> offsets(buffers.size());
  std::iota(offsets.begin(), offsets.end(), 0);
  const Stacking stacking = StackingOf(buffers, offsets);
  ASSERT_EQ(stacking.levels.size(), buffers.size());
  EXPECT_TRUE(stacking.levels[0].below.empty());
  for (size_t i = 1; i < buffers.size(); ++i)
    EXPECT_EQ(stacking.levels[i].below, std::vector<size_t>{i - 1});
}

TEST(DirectlyBelow, LeavesOutWhatOthersImply) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100; ++round) {
    const size_t count = 1 + random() % 12;
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<bool>> below(count, std::vector<bool>(count));
    for (std::vector<bool>& row : below) {
      for (size_t i = 0; i < count; ++i) row[i] = random() % 3 == 0;
    }
    const std::vector<std::vector<size_t>> direct =
        DirectlyBelow(order, [&](size_t lower, size_t upper) { return below[lower][upper]; });
    // By way of `direct`, with or without one of its steps.
    const auto reaches = [&](size_t lower, size_t upper, bool at_once) {
      std::vector<size_t> open = {upper};
      std::vector<bool> seen(count);
      while (!open.empty()) {
        const size_t from = open.back();
        open.pop_back();
        for (const size_t next : direct[from]) {
          if (next == lower && (at_once || from != upper)) return true;
          if (!seen[next]) open.push_back(next);
          seen[next] = true;
        }
      }
      return false;
    };
    for (size_t l = 0; l < count; ++l) {
      for (size_t k = 0; k < l; ++k) {
        if (!below[order[k]][order[l]]) continue;
        EXPECT_TRUE(reaches(order[k], order[l], true));
      }
      for (const size_t lower : direct[l]) {
        EXPECT_TRUE(below[lower][l]);
        EXPECT_FALSE(reaches(lower, l, false));
      }
    }
  }
}

TEST(Stacking, HasNoMorePlacesThanThePlan) {
  std::mt19937_64 random(10);
  const std::vector<Buffer> buffers = Random(random, 60, true);
  const Packing packing = Pack(buffers, {.effort = 500});
  const Stacking stacking = StackingOf(buffers, packing.offsets);
  std::set<int64_t> places(packing.offsets.begin(), packing.offsets.end());
  size_t empty = 0, placed = 0;
  for (const Buffer& buffer : buffers) empty += buffer.size == 0 ? 1 : 0;
  for (const Level& level : stacking.levels) placed += level.buffers.size();
  EXPECT_LE(stacking.levels.size(), places.size() + empty);
  EXPECT_EQ(placed, buffers.size());
}

}  // namespace
}  // namespace tessera::planning

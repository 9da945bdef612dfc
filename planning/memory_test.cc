#include "planning/memory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::planning {
namespace {

using ::testing::HasSubstr;

const std::vector<Region> kRegions = {{"scratch", true}, {"weights", false}};

Value Of(std::string name, int64_t begin, int64_t end, int64_t size, int64_t alignment = 1) {
  Value value;
  value.name = std::move(name);
  value.begin = begin;
  value.end = end;
  value.size = size;
  value.alignment = alignment;
  return value;
}

TEST(PlanMemory, RegionsAreApartAndOnlySomeReuseMemory) {
  std::vector<Value> values = {Of("a", 0, 2, 10), Of("b", 2, 4, 10), Of("w", 0, 1, 7),
                               Of("v", 2, 3, 9, 8)};
  values[2].region = values[3].region = 1;
  const auto plan = PlanMemory(values, kRegions);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->regions[0].size, 10);
  EXPECT_TRUE(plan->regions[0].optimal);
  EXPECT_EQ(plan->offsets[0], plan->offsets[1]);
  EXPECT_EQ(plan->offsets[3] % 8, 0);
  EXPECT_GE(plan->regions[1].size, 16);
  EXPECT_NE(plan->offsets[2], plan->offsets[3]);
}

TEST(PlanMemory, PartsLieInTheirOwnersWhichLiveAsLong) {
  // `joined` is made of two parts that are written earlier; a view of the second is read later.
  std::vector<Value> values = {Of("x", 0, 1, 4), Of("y", 1, 2, 12), Of("joined", 2, 3, 16),
                               Of("view", 3, 6, 8), Of("other", 4, 5, 16)};
  values[0].alias = Alias{2, 0};
  values[1].alias = Alias{2, 4};
  values[3].alias = Alias{1, 4};
  const auto plan = PlanMemory(values, kRegions);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->offsets[1], plan->offsets[2] + 4);
  EXPECT_EQ(plan->offsets[3], plan->offsets[2] + 8);
  EXPECT_EQ(plan->storage[3], 2u);
  // The owner is live while its view is: the other value lies beside it.
  EXPECT_EQ(plan->regions[0].size, 32);
}

TEST(PlanMemory, AResultTakesThePlaceOfWhatIsReadForTheLastTime) {
  std::vector<Value> values = {Of("x", 0, 2, 16), Of("y", 1, 3, 16), Of("z", 2, 4, 8),
                               Of("u", 2, 4, 16)};
  values[1].in_place_of = 0;
  values[2].in_place_of = 1;
  values[3].in_place_of = 1;  // its place is taken
  const auto plan = PlanMemory(values, kRegions);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->offsets[1], plan->offsets[0]);
  EXPECT_EQ(plan->offsets[2], plan->offsets[0]);
  EXPECT_NE(plan->offsets[3], plan->offsets[0]);
  EXPECT_EQ(plan->regions[0].size, 32);
  // Not where it is read again, nor into something smaller.
  values[0].end = 3;
  const auto read_again = PlanMemory(values, kRegions);
  EXPECT_NE(read_again->offsets[1], read_again->offsets[0]);
  values[0].end = 2;
  values[0].size = 15;
  const auto smaller = PlanMemory(values, kRegions);
  EXPECT_NE(smaller->offsets[1], smaller->offsets[0]);
}

TEST(PlanMemory, RefusesWhatCannotBe) {
  const auto error = [](std::vector<Value> values) {
    return std::string(PlanMemory(values, kRegions).status().message());
  };
  std::vector<Value> values = {Of("a", 0, 1, 8), Of("b", 0, 1, 8)};
  values[0].region = 2;
  EXPECT_THAT(error(values), HasSubstr("value `a` is of region 2, there are 2"));
  values[0].region = 0;
  values[0].alias = Alias{1, 4};
  EXPECT_THAT(error(values),
              HasSubstr("value `a` of size 8 at 4 reaches beyond value `b` of size 8"));
  values[0].alias = Alias{1, 0};
  values[1].alias = Alias{0, 0};
  EXPECT_THAT(error(values), HasSubstr("value `a` is a part of itself"));
  values[1].alias.reset();
  values[1].region = 1;
  EXPECT_THAT(error(values), HasSubstr("is of another region"));
  values[1].region = 0;
  values[0].size = 4;
  values[0].alias = Alias{1, 2};
  values[0].alignment = 4;
  EXPECT_THAT(error(values), HasSubstr("is not aligned to 4"));
  values[0].alias = Alias{7, 0};
  EXPECT_THAT(error(values), HasSubstr("lies in value 7, there are 2"));
  values[0].alias.reset();
  values[0].alignment = 0;
  EXPECT_THAT(error(values), HasSubstr("the alignment 0"));
}

TEST(Lifetimes, GoFromTheFirstWriteToTheLastRead) {
  // 0 is an input, 1 and 2 are made, 3 is made and never read, 4 is a state read before it is
  // written.
  const std::vector<Step> steps = {{{0}, {1}}, {{1, 4}, {2, 3}}, {{1, 2}, {4}}, {{}, {}}};
  const std::vector<size_t> results = {2};
  const std::vector<Lifetime> lifetimes = Lifetimes(steps, 5, results);
  const auto is = [&](size_t value, int64_t begin, int64_t end) {
    EXPECT_EQ(lifetimes[value].begin, begin) << value;
    EXPECT_EQ(lifetimes[value].end, end) << value;
  };
  is(0, 0, 1);
  is(1, 0, 3);
  is(2, 1, 4);
  is(3, 1, 2);
  is(4, 0, 3);
}

}  // namespace
}  // namespace tessera::planning

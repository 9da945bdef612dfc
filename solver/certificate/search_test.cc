#include "solver/certificate/search.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::certificate {
namespace {

struct Case {
  std::vector<DeclaredSymbol> symbols;
  std::vector<std::string> facts;
  std::vector<int64_t> witness;
};

class Searched {
 public:
  Searched(const Case& from, const std::string& statement) {
    Certificate certificate;
    certificate.symbols = from.symbols;
    for (const std::string& fact : from.facts) certificate.facts.push_back({fact, ""});
    problem_ = *Problem::Read(certificate);
    claim_ = *problem_.ReadClaim(statement);
    exhaust = Search(problem_, claim_, from.witness).Exhaust();
    sample = Search(problem_, claim_, from.witness).Sample(10000, 400000);
  }
  Trial exhaust, sample;

 private:
  Problem problem_;
  Claim claim_;
};

TEST(Search, ExhaustsWhatIsAdmitted) {
  const Case small = {{{"x", "", -5, 20, 7, 3}, {"y", "", 1, 10, 1, 0}}, {"x != y"}, {10, 1}};
  // x is -4, 3, 10 or 17.
  const Searched holds(small, "mod(x, 7) == 3 && x != y");
  EXPECT_TRUE(holds.exhaust.complete);
  EXPECT_EQ(holds.exhaust.held, 38);
  const Searched fails(small, "x + y != 13");
  ASSERT_TRUE(fails.exhaust.violated);
  EXPECT_EQ((*fails.exhaust.violated)[0] + (*fails.exhaust.violated)[1], 13);
}

TEST(Search, LargeRangesAreSampled) {
  const Case large = {
      {{"x", "", 1, (int64_t{1} << 31) - 1, 1, 0}, {"y", "", 0, {}, 2, 0}}, {}, {1, 0}};
  const Searched holds(large, "x + y >= x");
  EXPECT_FALSE(holds.exhaust.complete);
  EXPECT_EQ(holds.sample.held, 10000);
  for (const char* const refutable :
       {"x != 2147483647", "x != 2147483646", "x != 37", "x*y < 1099511627776", "mod(x, 64) != 63",
        "y != 2 || x != 40", "x <= y || y != 0"})
    EXPECT_TRUE(Searched(large, refutable).sample.violated) << refutable;
}

TEST(Search, EquationsDefineSymbols) {
  const Case chain = {{{"a", "", 1, {}, 1, 0}, {"b", "", 1, {}, 1, 0}, {"c", "", 1, {}, 1, 0}},
                      {"a == 2*b", "3*c + 1 == b", "a <= 1000000"},
                      {8, 4, 1}};
  const Searched holds(chain, "a == 6*c + 2 && mod(a, 6) == 2");
  EXPECT_EQ(holds.sample.held, 10000);
  EXPECT_FALSE(holds.sample.violated);
  EXPECT_TRUE(Searched(chain, "b != 3001").sample.violated);
}

TEST(Search, EquationsInCircles) {
  const Case circle = {{{"a", "", 1, 50, 1, 0}, {"b", "", 1, 50, 1, 0}},
                       {"a == b + 0", "b == a*1", "a == a"},
                       {1, 1}};
  const Searched holds(circle, "a == b");
  EXPECT_TRUE(holds.exhaust.complete);
  EXPECT_EQ(holds.exhaust.held, 50);
}

TEST(Search, UnboundedBelow) {
  const Case both = {{{"x", "", {}, {}, 3, 1}}, {}, {1}};
  EXPECT_TRUE(Searched(both, "x >= -100").sample.violated);
  EXPECT_TRUE(Searched(both, "x <= 100").sample.violated);
  const Case extreme = {{{"x", "", INT64_MIN, INT64_MAX, INT64_MAX, 0}}, {}, {0}};
  const Searched holds(extreme, "mod(x, 9223372036854775807) == 0");
  EXPECT_TRUE(holds.exhaust.complete);
  EXPECT_EQ(holds.exhaust.held, 3);
}

TEST(Search, WhatIsUndecidedIsNotComplete) {
  const Case large = {{{"x", "", INT64_MAX - 3, INT64_MAX, 1, 0}}, {}, {INT64_MAX}};
  const Searched cubes(large, "x*x*x > 0");
  EXPECT_FALSE(cubes.exhaust.complete);
  EXPECT_EQ(cubes.exhaust.held, 0);
}

TEST(Search, RepeatedAssignmentsCountOnce) {
  const Case few = {{{"a", "", 1, {}, 1, 0}, {"b", "", 1, 3000, 1, 0}}, {"a == b*b"}, {9, 3}};
  EXPECT_EQ(Searched(few, "a >= b").sample.held, 3000);
}

TEST(Search, WithoutSymbols) {
  const Case none;
  EXPECT_TRUE(Searched(none, "1 + 1 == 2").exhaust.complete);
  EXPECT_TRUE(Searched(none, "1 + 1 == 3").exhaust.violated);
}

}  // namespace
}  // namespace tessera::certificate

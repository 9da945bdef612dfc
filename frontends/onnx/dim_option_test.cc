#include "frontends/onnx/dim_option.h"

#include <string>
#include <utility>

#include "frontends/onnx/size_set.h"
#include "gtest/gtest.h"

namespace tessera::onnx_import {
namespace {

TEST(DimOption, Value) {
  auto option = ParseDimOption("N=1");
  ASSERT_TRUE(option.ok()) << option.status();
  EXPECT_EQ(option->kind, DimOption::Kind::kRange);
  EXPECT_EQ(option->name, "N");
  EXPECT_EQ(option->low, 1);
  EXPECT_EQ(option->high, 1);
}

TEST(DimOption, Range) {
  auto option = ParseDimOption(" past + 1 = 1 .. 4096 ");
  ASSERT_TRUE(option.ok()) << option.status();
  EXPECT_EQ(option->kind, DimOption::Kind::kRange);
  EXPECT_EQ(option->name, "past + 1");
  EXPECT_EQ(option->low, 1);
  EXPECT_EQ(option->high, 4096);
}

TEST(DimOption, RangeWithoutEnd) {
  auto option = ParseDimOption("H=2..");
  ASSERT_TRUE(option.ok()) << option.status();
  EXPECT_EQ(option->low, 2);
  EXPECT_EQ(option->high, kMaxDim);
}

TEST(DimOption, Congruence) {
  auto option = ParseDimOption("H%8=3");
  ASSERT_TRUE(option.ok()) << option.status();
  EXPECT_EQ(option->kind, DimOption::Kind::kCongruence);
  EXPECT_EQ(option->name, "H");
  EXPECT_EQ(option->modulus, 8);
  EXPECT_EQ(option->residue, 3);
}

TEST(DimOption, Equality) {
  auto option = ParseDimOption("A=B");
  ASSERT_TRUE(option.ok()) << option.status();
  EXPECT_EQ(option->kind, DimOption::Kind::kEqual);
  EXPECT_EQ(option->name, "A");
  EXPECT_EQ(option->other, "B");
  auto computed = ParseDimOption("M=2*floor(H/4)");
  ASSERT_TRUE(computed.ok()) << computed.status();
  EXPECT_EQ(computed->kind, DimOption::Kind::kEqual);
  EXPECT_EQ(computed->other, "2*floor(H/4)");
}

TEST(DimOption, AnEndThatIsComputed) {
  auto from = ParseDimOption("L = N+1..");
  ASSERT_TRUE(from.ok()) << from.status();
  EXPECT_EQ(from->kind, DimOption::Kind::kRange);
  EXPECT_EQ(from->lower, "N+1");
  EXPECT_FALSE(from->IsLeastSize());
  EXPECT_EQ(Proposition(*from), "L >= N+1");
  auto to = ParseDimOption("T=2..max(N,3)");
  ASSERT_TRUE(to.ok()) << to.status();
  EXPECT_EQ(to->low, 2);
  EXPECT_EQ(to->upper, "max(N,3)");
  EXPECT_EQ(Proposition(*to), "2 <= T <= max(N,3)");
  EXPECT_FALSE(ParseDimOption("L=N..M").ok());
  EXPECT_FALSE(ParseDimOption("L=N..4").ok());
}

TEST(DimOption, AnEndLeftOut) {
  auto from = ParseDimOption("P=0..");
  ASSERT_TRUE(from.ok()) << from.status();
  EXPECT_EQ(from->low, 0);
  EXPECT_EQ(from->high, kMaxDim);
  auto to = ParseDimOption("T= ..64");
  ASSERT_TRUE(to.ok()) << to.status();
  EXPECT_EQ(to->low, kMinDim);
  EXPECT_EQ(to->high, 64);
}

TEST(DimOption, RefusalsNameThePart) {
  const auto message = [](const char* text) {
    auto option = ParseDimOption(text);
    return option.ok() ? std::string("accepted") : std::string(option.status().message());
  };
  EXPECT_EQ(message("N"),
            "dim option `N`: no `=`; forms are `N=1`, `H=1..4096`, `P=0..`, `H%8=0`, `A=B`, "
            "`S=P+T`, `L=N+1..`, `N=1..L` with sizes from 0 to 2^31 - 1");
  const std::pair<const char*, const char*> refused[] = {
      {"", "no `=`"},
      {"=3", "no name of a dim"},
      {"N=", "nothing after `=`"},
      {"N=-1", "`-1` is no size"},
      {"N=2147483648", "`2147483648` is no size"},
      {"N=99999999999999999999", "is no size"},
      {"N=1.5", "`1.5` is no size"},
      {"H=5..4", "range from 5 to 4 is empty"},
      {"H=x..4", "a range from what is computed has no other end"},
      {"H=-1..4", "lower bound `-1` is no size"},
      {"H=1..4.5", "upper bound `4.5` is no size"},
      {"H%0=0", "modulus `0` is no number >= 1"},
      {"H%8=8", "residue `8` is no number below the modulus 8"},
      {"H%8=-1", "residue `-1`"},
      {"%8=0", "no name of a dim"},
  };
  for (const auto& [text, part] : refused)
    EXPECT_NE(message(text).find(part), std::string::npos) << message(text);
}

bool Has(const SizeSet& set, int64_t d) {
  return set.low <= d && d <= set.high && d % set.modulus == set.residue;
}

// All pairs of progressions with small moduli, against enumeration.
TEST(SizeSet, IntersectionIsExact) {
  for (int64_t ma = 1; ma <= 9; ++ma) {
    for (int64_t ra = 0; ra < ma; ++ra) {
      for (int64_t mb = 1; mb <= 12; ++mb) {
        for (int64_t rb = 0; rb < mb; ++rb) {
          const SizeSet a{1, 40, ma, ra}, b{0, 33, mb, rb};
          const SizeSet both = Intersection(a, b);
          bool any = false;
          for (int64_t d = 0; d <= 50; ++d) {
            const bool expected = Has(a, d) && Has(b, d);
            any |= expected;
            ASSERT_EQ(Has(both, d), expected)
                << ma << " " << ra << " " << mb << " " << rb << " " << d;
          }
          ASSERT_EQ(both.low <= both.high, any);
          if (any) {
            ASSERT_TRUE(Has(both, both.low));
            ASSERT_TRUE(Has(both, both.high));
          }
        }
      }
    }
  }
}

TEST(SizeSet, LargeModuliDoNotOverflow) {
  const int64_t p = 2147483647, q = 2147483629;  // both prime
  const SizeSet both = Intersection({0, kMaxDim, p, 5}, {0, kMaxDim, q, 5});
  EXPECT_EQ(both.low, 5);
  EXPECT_EQ(both.high, 5);
  const SizeSet none = Intersection({0, kMaxDim, p, 5}, {0, kMaxDim, q, 6});
  EXPECT_GT(none.low, none.high);
}

}  // namespace
}  // namespace tessera::onnx_import

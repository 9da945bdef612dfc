#include "solver/certificate/evaluate.h"

#include <string>

#include "gtest/gtest.h"
#include "solver/certificate/certificate.h"

namespace tessera::certificate {
namespace {

// Of a claim over x and y.
Truth Evaluate(const std::string& text, int64_t x = 0, int64_t y = 0) {
  Certificate certificate;
  certificate.symbols = {{"x", "", {}, {}, 1, 0}, {"y", "", {}, {}, 1, 0}};
  const auto problem = Problem::Read(certificate);
  const auto claim = problem->ReadClaim(text);
  EXPECT_TRUE(claim.ok()) << claim.status();
  const int64_t values[] = {x, y};
  return Evaluator(*claim).Evaluate(values);
}

TEST(Evaluate, DivisionsRoundAsTheirNamesSay) {
  for (int64_t x = -20; x <= 20; ++x) {
    for (int64_t y = 1; y <= 7; ++y) {
      int64_t floor = -100;
      while ((floor + 1) * y <= x) ++floor;
      const int64_t ceil = floor * y == x ? floor : floor + 1;
      EXPECT_EQ(Evaluate("floordiv(x, y) == " + std::to_string(floor), x, y), Truth::kHolds);
      EXPECT_EQ(Evaluate("ceildiv(x, y) == " + std::to_string(ceil), x, y), Truth::kHolds);
      EXPECT_EQ(Evaluate("mod(x, y) == " + std::to_string(x - floor * y), x, y), Truth::kHolds);
      EXPECT_EQ(Evaluate("truncdiv(x, y) == " + std::to_string(x < 0 ? ceil : floor), x, y),
                Truth::kHolds);
    }
  }
}

TEST(Evaluate, Values) {
  EXPECT_EQ(Evaluate("min(x, y, 2) == -3 && max(x, y) == 7", -3, 7), Truth::kHolds);
  EXPECT_EQ(Evaluate("abs(x) == 3 && abs(y) == 7", -3, 7), Truth::kHolds);
  EXPECT_EQ(Evaluate("x < y && x <= y && y > x && y >= x && x != y", -3, 7), Truth::kHolds);
  EXPECT_EQ(Evaluate("(x < y) + (x <= x) + (x == x) == 3", -3, 7), Truth::kHolds);
  EXPECT_EQ(Evaluate("!x + !y == 1", 5, 0), Truth::kHolds);
  EXPECT_EQ(Evaluate("(5 && -2) == 1 && (0 || 7) == 1 && (7 || 0) == 1"), Truth::kHolds);
  EXPECT_EQ(Evaluate("x - y", 4, 4), Truth::kViolated);
  EXPECT_EQ(Evaluate("x - y", 4, 9), Truth::kHolds);
}

TEST(Evaluate, DivisorsThatAreEvaluatedMustBePositive) {
  EXPECT_EQ(Evaluate("floordiv(1, x) == floordiv(1, x)", 0), Truth::kViolated);
  EXPECT_EQ(Evaluate("mod(1, x) >= 0", -1), Truth::kViolated);
  EXPECT_EQ(Evaluate("!(ceildiv(1, x) == 1)", 0), Truth::kViolated);
  EXPECT_EQ(Evaluate("truncdiv(1, x) == 1", 1), Truth::kHolds);
  EXPECT_EQ(Evaluate("0*mod(1, 0) == 0"), Truth::kViolated);
}

TEST(Evaluate, WhatIsNotTakenIsNotEvaluated) {
  EXPECT_EQ(Evaluate("x == 0 || mod(6, x) == 0", 0), Truth::kHolds);
  EXPECT_EQ(Evaluate("mod(6, x) == 0 || x == 0", 0), Truth::kViolated);
  EXPECT_EQ(Evaluate("!(x > 0 && mod(6, x) == 0)", 0), Truth::kHolds);
  EXPECT_EQ(Evaluate("ite(x > 0, mod(6, x), 1) == 1", 0), Truth::kHolds);
  EXPECT_EQ(Evaluate("ite(x > 0, 1, mod(6, x)) == 1", 0), Truth::kViolated);
  EXPECT_EQ(Evaluate("ite(mod(6, x), 1, 1)", 0), Truth::kViolated);
  EXPECT_EQ(Evaluate("t = mod(6, x); x == 0", 0), Truth::kHolds);
  EXPECT_EQ(Evaluate("t = mod(6, x); u = t + 1; x == 0 || u >= 1", 0), Truth::kHolds);
}

TEST(Evaluate, BeyondWhat128BitsHoldNothingIsSaid) {
  const int64_t big = INT64_MAX;
  EXPECT_EQ(Evaluate("x*x == y*y", big, big), Truth::kHolds);
  EXPECT_EQ(Evaluate("x*x*x == x*x*x", big), Truth::kUndecided);
  EXPECT_EQ(Evaluate("t = x*x + 2*x + 1; t*t*(-2) == t*t*(-2)", big), Truth::kUndecided);
  EXPECT_EQ(Evaluate("x > 1 || x*x*x*x > 1", big), Truth::kHolds);
  EXPECT_EQ(Evaluate("ite(x > 1, 1, x*x*x*x)", big), Truth::kHolds);
  // A divisor that is not positive is one, whatever the rest is.
  EXPECT_EQ(Evaluate("mod(1, y) + x*x*x == 0", big, 0), Truth::kViolated);
  // The least value has no negative.
  EXPECT_EQ(Evaluate("t = -2*x*y; abs(t - t - t*1) > 0", INT64_MIN, INT64_MIN), Truth::kUndecided);
}

}  // namespace
}  // namespace tessera::certificate

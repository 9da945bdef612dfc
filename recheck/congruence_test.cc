#include "recheck/congruence.h"

#include <gtest/gtest.h>

#include <string>

#include "solver/certificate/statement.h"

namespace tessera::recheck {
namespace {

class Congruences : public ::testing::Test {
 protected:
  Congruences() {
    terms_.Declare(terms_.Symbol("W"), 6, 0);
    terms_.Declare(terms_.Symbol("H"), 4, 2);
  }
  int64_t Divisor(const std::string& text) {
    return DivisorOf(terms_, terms_.Import(certificate::ParseStatement(text).value()));
  }

  Terms terms_;
};

TEST_F(Congruences, FollowFromThoseOfSymbols) {
  EXPECT_EQ(Divisor("W"), 6);
  EXPECT_EQ(Divisor("H"), 2);
  EXPECT_EQ(Divisor("N"), 1);
  EXPECT_EQ(Divisor("W*H"), 12);
  EXPECT_EQ(Divisor("W + H"), 2);
  EXPECT_EQ(Divisor("H - 2"), 4);
  EXPECT_EQ(Divisor("-3*W"), 18);
  EXPECT_EQ(Divisor("5*N"), 5);
  EXPECT_EQ(Divisor("floordiv(W, 3)"), 2);
  EXPECT_EQ(Divisor("floordiv(W, 4)"), 1);
  EXPECT_EQ(Divisor("min(W, 12)"), 6);
  EXPECT_EQ(Divisor("ite(N > 3, W, H - 2)"), 2);
  EXPECT_EQ(Divisor("mod(W, 4)"), 1);
}

// What leaves the range says nothing, rather than something wrong.
TEST_F(Congruences, OfLargeNumbers) {
  EXPECT_EQ(Divisor("9223372036854775807*N"), 1);
  EXPECT_EQ(Divisor("4611686018427387904*W*W*W"), 216);
}

}  // namespace
}  // namespace tessera::recheck

#include "recheck/fingerprint.h"

#include <gtest/gtest.h>

#include <string>

#include "solver/certificate/statement.h"

namespace tessera::recheck {
namespace {

class Fingerprint : public ::testing::Test {
 protected:
  Fingerprint() {
    for (const char* name : {"P", "T"}) prints_.Declare(terms_.Symbol(name), 1, 2147483647, 1, 0);
    prints_.Declare(terms_.Symbol("S"), 1, 4000, 1, 0);
  }
  Dim Read(const std::string& text) {
    return terms_.Import(certificate::ParseStatement(text).value());
  }
  bool Same(const std::string& a, const std::string& b) {
    return prints_.Of(Read(a)) == prints_.Of(Read(b));
  }
  bool SameWhereAdmitted(const std::string& a, const std::string& b) {
    const Dim x = Read(a), y = Read(b);
    return prints_.OfAdmitted(x) == prints_.OfAdmitted(y) && !prints_.DifferAtConstants(x, y);
  }

  Terms terms_;
  Fingerprints prints_{terms_};
};

TEST_F(Fingerprint, LargeSizesAreTriedToo) {
  EXPECT_FALSE(Same("min(P, 5000)", "P"));
  EXPECT_FALSE(Same("min(P + T, 1000000)", "P + T"));
  EXPECT_FALSE(SameWhereAdmitted("min(P, 5000)", "P"));
  EXPECT_FALSE(SameWhereAdmitted("min(floordiv(P, 128), 60)", "floordiv(P, 128)"));
  EXPECT_TRUE(SameWhereAdmitted("min(S, 5000)", "S"));
}

TEST_F(Fingerprint, WhatIsDifferentNearConstantsAlone) {
  EXPECT_FALSE(SameWhereAdmitted("P + 3*(P == 123457)", "P"));
  EXPECT_FALSE(SameWhereAdmitted("P + (floordiv(P, 70) == 911)", "P"));
  EXPECT_FALSE(SameWhereAdmitted("S + (S == 3777)", "S"));
}

// Products of large sizes have a value too.
TEST_F(Fingerprint, WhatIsMultipliedAndDividedAgain) {
  EXPECT_TRUE(Same("floordiv(P*T*P*T, P*T)", "P*T"));
  EXPECT_TRUE(SameWhereAdmitted("floordiv(P*T*P*T, T)", "P*P*T"));
}

}  // namespace
}  // namespace tessera::recheck

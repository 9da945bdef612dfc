// What definitions divide by in shapes and constraints is positive: decided on the statements that
// the generator writes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "solver/statements.h"
#include "testing/decided_statements.h"

namespace tessera::testing {
namespace {

struct Divisors {
  int divisors = 0;
  std::set<std::string> unproved;  // op and place
};

Divisors Decide(const std::string& path) {
  Divisors divisors;
  for (const solver::StatementOutcome& outcome : DecidedStatements(path)) {
    ++divisors.divisors;
    if (outcome.kind != solver::Verdict::kProved)
      divisors.unproved.insert(absl::StrCat(outcome.family, " ", outcome.name));
  }
  return divisors;
}

std::string Listed(const Divisors& divisors) {
  std::string text;
  for (const std::string& divisor : divisors.unproved) absl::StrAppend(&text, divisor, "\n");
  return text;
}

TEST(Divisors, OfTheDefinitionsArePositive) {
  const Divisors divisors = Decide("testing/definition_divisors.tsv");
  EXPECT_EQ(Listed(divisors), "") << "may be 0 or less where it divides: bound it by `where` or a "
                                     "constraint before, or by max(..., 1)";
  EXPECT_GE(divisors.divisors, 50);
}

TEST(Divisors, ThatMayBeZeroAreNamed) {
  const std::set<std::string> expected = {"Unbounded testing/divisors.op:18",
                                          "Unbounded testing/divisors.op:21",
                                          "Expanded testing/divisors.op:31"};
  EXPECT_EQ(Decide("testing/divisors.tsv").unproved, expected);
}

}  // namespace
}  // namespace tessera::testing

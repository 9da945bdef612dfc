// Every clause of every lowering is reached: decided on the statements that the generator writes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "solver/statements.h"
#include "testing/decided_statements.h"

namespace tessera::testing {
namespace {

struct Guards {
  int clauses = 0;             // in lowerings of more than one
  std::set<std::string> dead;  // with what leaves nothing for them
};

// A clause is dead from the first statement of it on that is not refuted.
Guards Decide(const std::string& path) {
  Guards guards;
  std::set<std::string> seen, reported;
  for (const solver::StatementOutcome& outcome : DecidedStatements(path)) {
    const std::string clause =
        absl::StrCat(outcome.family, " ", outcome.name.substr(0, outcome.name.find(' ')));
    seen.insert(clause);
    if (outcome.kind == solver::Verdict::kRefuted || !reported.insert(clause).second) continue;
    const bool dead =
        outcome.kind == solver::Verdict::kProved || outcome.by == "contradictory-facts";
    guards.dead.insert(absl::StrCat(outcome.family, " ", outcome.name, dead ? "" : ": undecided"));
  }
  guards.clauses = static_cast<int>(seen.size());
  return guards;
}

std::string Listed(const Guards& guards) {
  std::string text;
  for (const std::string& clause : guards.dead)
    absl::StrAppend(&text, "never reached: ", clause, "\n");
  return text;
}

TEST(Guards, EveryClauseOfTheDefinitionsIsReached) {
  const Guards guards = Decide("testing/definition_guards.tsv");
  EXPECT_EQ(Listed(guards), "");
  EXPECT_GE(guards.clauses, 75);
}

TEST(Guards, DeadClausesAreNamedWithWhatShadowsThem) {
  const std::string file = "testing/dead_clauses.op:";
  const auto at = [&](const std::string& lowering, const std::string& lines) {
    return absl::StrCat(lowering, " ", file, lines);
  };
  const std::set<std::string> expected = {
      at("toy Shadowed", "13:5 after 11:5"),
      at("toy Shadowed", "14:5 after 11:5, 12:5"),
      at("toy Contradicted", "29:5"),
      at("toy Contradicted", "30:5"),
      at("toy Contradicted", "31:5"),
      at("toy Contradicted", "32:5"),
      at("toy Contradicted", "33:5"),
      at("values Exhausted", "48:62 after 48:18, 48:40"),
      at("types Exhausted", "49:64 after 49:17, 49:44"),
      at("bools Exhausted", "50:88 after 50:17, 50:47, 50:71"),
      at("floats Exhausted", "51:61 after 51:18, 51:39"),
      at("ranks Exhausted", "52:62 after 52:17, 52:39"),
      at("lists Exhausted", "53:83 after 53:17, 53:50"),
      at("sizes Exhausted", "55:58 after 55:17, 55:37"),
  };
  EXPECT_EQ(Decide("testing/dead_clauses.tsv").dead, expected);
}

}  // namespace
}  // namespace tessera::testing

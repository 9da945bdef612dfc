// Statements `facts |- claim` as text, alone and as a benchmark in a table, each decided in a
// Context of its own.
//
// The symbols of a statement are integers of which nothing is known but its facts: `past >= 0` has
// past = 0, and a claim without facts is about negative numbers too.
#ifndef TESSERA_SOLVER_STATEMENTS_H_
#define TESSERA_SOLVER_STATEMENTS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "solver/decide.h"
#include "solver/expr.h"
#include "solver/syntax.h"

namespace tessera::solver {

using DecisionProcedure = std::function<Verdict(Context&, const Expr&)>;

struct Statement {
  std::vector<Syntax> facts;
  Syntax claim;
};

// Facts joined by `;` or `,`, which may be missing together with their `|-`. Errors name the part
// and its column.
absl::StatusOr<Statement> ParseStatement(std::string_view text);
absl::StatusOr<Statement> ParseStatement(std::string_view facts, std::string_view claim);

// `decide` on the claim, with the facts assumed in `context`, which is new. Sizes are admissible
// where each fact has a value and is true. A claim is proved if it has a value and is true for all
// of these, so that nothing is assumed of divisors: those of the claim and of the facts are proved
// to be >= 1 wherever they divide, or the verdict is kUnknown by "unproved-divisor", with that as
// the residual. It is refuted by sizes for which it is false, or, by "divisor", divides by what is
// not positive: that divisor is then the residual. A counterexample is evaluated once more on the
// statement as it was written; where it does not serve, kUnknown by "bad-counterexample".
Verdict DecideStatement(Context& context, const Statement& statement,
                        const DecisionProcedure& decide = Decide);

struct StatementOutcome {
  std::string family;
  std::string name;
  bool valid = false;  // what the table says
  Verdict::Kind kind = Verdict::kUnknown;
  std::string by;
  Assignment counterexample;
  std::string residual;  // kUnknown: as text
  double parse_us = 0;   // from text to Syntax
  double decide_us = 0;  // from Syntax to verdict, the new Context included
  bool wrong() const { return kind == (valid ? Verdict::kRefuted : Verdict::kProved); }
};

struct StatementReport {
  std::vector<StatementOutcome> outcomes;  // in the order of the table
  int valid = 0;
  int proved = 0;  // of the valid
  int invalid = 0;
  int refuted = 0;  // of the invalid
  int wrong = 0;
  int unknown = 0;
  // Of decide_us: the least time that so many percent of all do not exceed.
  double Percentile(int percent) const;
  // `valid proved A/B, invalid refuted C/D, wrong E, unknown F, median X us, p95 Y us, max Z us`
  std::string Summary() const;
};

// A table of lines `family <TAB> name <TAB> facts <TAB> claim <TAB> valid|invalid`; `#` starts a
// comment. Errors name the line.
absl::StatusOr<StatementReport> DecideStatements(std::string_view table,
                                                 const DecisionProcedure& decide = Decide);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_STATEMENTS_H_

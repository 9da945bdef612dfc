#include "testing/decided_statements.h"

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "solver/prove.h"
#include "support/file.h"

namespace tessera::testing {

std::vector<solver::StatementOutcome> DecidedStatements(const std::string& path) {
  const absl::StatusOr<std::string> table = support::ReadFile(path);
  EXPECT_TRUE(table.ok()) << table.status();
  if (!table.ok()) return {};
  solver::Prover prover;
  const absl::StatusOr<solver::StatementReport> report = solver::DecideStatements(
      *table, [&](solver::Context& c, const solver::Expr& e) { return prover.Prove(c, e); });
  EXPECT_TRUE(report.ok()) << report.status();
  if (!report.ok()) return {};
  return report->outcomes;
}

}  // namespace tessera::testing

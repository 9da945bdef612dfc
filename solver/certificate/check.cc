#include "solver/certificate/check.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "solver/certificate/decisions.h"
#include "solver/certificate/evaluate.h"
#include "solver/certificate/problem.h"
#include "solver/certificate/solver.h"
#include "support/printable.h"

namespace tessera::certificate {
namespace {

// The witness's values in the order of the problem's symbols.
absl::StatusOr<std::vector<int64_t>> ReadWitness(const Problem& problem,
                                                 const Certificate& certificate) {
  const Assignment& witness = certificate.witness;
  std::vector<int64_t> values;
  for (const DeclaredSymbol& symbol : problem.symbols()) {
    const auto it = witness.find(symbol.name);
    if (it == witness.end())
      return absl::InvalidArgumentError(absl::StrCat("the witness lacks `", symbol.name, "`"));
    const int64_t value = it->second;
    if ((symbol.lo && value < *symbol.lo) || (symbol.hi && value > *symbol.hi) ||
        (__int128{value} - symbol.residue) % symbol.stride != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("vacuous: the witness has ", symbol.name, " = ", value,
                       ", which the declaration of the symbol excludes"));
    }
    values.push_back(value);
  }
  if (witness.size() != problem.symbols().size())
    return absl::InvalidArgumentError("the witness has a symbol that is not declared");
  for (size_t i = 0; i < problem.facts().size(); ++i) {
    const Claim& fact = problem.facts()[i];
    if (Evaluator(fact).Evaluate(values) != Truth::kHolds) {
      return absl::InvalidArgumentError(
          absl::StrCat("vacuous: fact `", Shown(certificate.facts[i].statement),
                       "` does not hold for the witness, ", AssignmentText(problem, fact, values)));
    }
  }
  return values;
}

}  // namespace

int64_t CheckReport::CountOf(Outcome outcome) const {
  const auto is = [&](const ObligationReport& o) { return o.outcome == outcome; };
  return std::count_if(obligations.begin(), obligations.end(), is) +
         std::count_if(also.begin(), also.end(), is);
}

absl::StatusOr<CheckReport> Check(const Certificate& certificate, const CheckOptions& options) {
  CheckReport report;
  if (const std::string seal = Seal(certificate); seal != certificate.sha256) {
    report.failures.push_back(
        absl::StrCat("the seal is ", certificate.sha256, ", but the contents have ", seal));
    return report;
  }
  const absl::StatusOr<Problem> problem = Problem::Read(certificate);
  if (!problem.ok()) {
    report.failures.emplace_back(problem.status().message());
    return report;
  }
  const absl::StatusOr<std::vector<int64_t>> witness = ReadWitness(*problem, certificate);
  if (!witness.ok()) {
    report.failures.emplace_back(witness.status().message());
    return report;
  }
  absl::StatusOr<Program> cvc5 = Program{options.cvc5, options.libraries};
  if (options.cvc5.empty()) cvc5 = FindCvc5();
  if (!cvc5.ok()) return cvc5.status();
  Decisions decisions(*problem, *witness, options, *std::move(cvc5));
  if (absl::Status status = decisions.Run(certificate.obligations, report); !status.ok())
    return status;
  if (options.proofs.empty()) return report;
  const absl::StatusOr<int64_t> proofs = decisions.WriteProofs(certificate.obligations);
  if (!proofs.ok()) return proofs.status();
  report.proofs = *proofs;
  return report;
}

std::string ToText(const Certificate& certificate, const CheckReport& report) {
  std::string text;
  for (const std::string& failure : report.failures)
    absl::StrAppend(&text, support::Printable(failure), "\n");
  std::map<std::string, int64_t> proved;
  for (size_t i = 0; i < report.obligations.size(); ++i) {
    const ObligationReport& o = report.obligations[i];
    const Obligation& from = certificate.obligations[i];
    if (o.outcome == Outcome::kProved) {
      ++proved[o.by];
      continue;
    }
    absl::StrAppend(&text, i, ": ", support::Printable(from.id), " of `",
                    support::Printable(from.node), "`: ");
    if (o.outcome == Outcome::kFailed)
      absl::StrAppend(&text, "FAILED: ", support::Printable(o.failure));
    if (o.outcome == Outcome::kEvaluated)
      absl::StrAppend(&text, "not proved, held at ", o.assignments, " assignments");
    if (o.outcome == Outcome::kGuarded) absl::StrAppend(&text, "checked at run time");
    absl::StrAppend(&text, ": ", support::Printable(Shown(from.statement)), "\n");
  }
  for (const ObligationReport& o : report.also) {
    if (o.outcome == Outcome::kProved) ++proved[o.by];
  }
  absl::StrAppend(&text, report.obligations.size() + report.also.size(),
                  " obligations: ", report.CountOf(Outcome::kProved), " proved");
  const char* separator = " (";
  for (const auto& [by, count] : proved) {
    absl::StrAppend(&text, separator, by, " ", count);
    separator = ", ";
  }
  if (!proved.empty()) text += ")";
  absl::StrAppend(&text, ", ", report.CountOf(Outcome::kEvaluated), " evaluated, ",
                  report.CountOf(Outcome::kGuarded), " guarded, ", report.CountOf(Outcome::kFailed),
                  " failed\n");
  if (report.proofs) absl::StrAppend(&text, *report.proofs, " proofs written\n");
  return text;
}

}  // namespace tessera::certificate

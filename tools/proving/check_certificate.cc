#include "tools/proving/check_certificate.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "recheck/recheck.h"
#include "solver/certificate/order.h"
#include "solver/certificate/statement.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "tools/proving/artifact.h"

namespace tessera::proving {
namespace {

constexpr char kSuffix[] = ".cert.json";

// The artifact beside it; empty: there is none.
std::string ArtifactOf(const std::string& path) {
  if (!absl::EndsWith(path, kSuffix)) return "";
  std::string artifact = path.substr(0, path.size() - (sizeof kSuffix - 1));
  return std::filesystem::exists(artifact) ? artifact : "";
}

// That dims and facts are what model and options say, which must follow from what these say: not
// from facts that are listed.
absl::StatusOr<certificate::CheckReport> CheckSizes(const certificate::Certificate& certificate,
                                                    const recheck::Report& report,
                                                    certificate::CheckOptions options) {
  if (report.of_sizes.empty()) return certificate::CheckReport();
  certificate::Certificate said;
  said.symbols = certificate.symbols;
  said.witness = certificate.witness;
  for (const std::string& statement : report.said) said.facts.push_back({statement, ""});
  said.sha256 = certificate::Seal(said);
  options.model.clear();
  options.proofs.clear();
  options.also.clear();
  for (const recheck::Unstated& each : report.of_sizes) options.also.push_back(each.statement);
  return certificate::Check(said, options);
}

// What did not hold, and what was not proved, of statements that the check has proved too.
void Report(const std::vector<recheck::Unstated>& statements,
            const std::vector<certificate::ObligationReport>& outcomes, const char* whose,
            std::vector<std::string>& failures, std::string& text) {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const certificate::ObligationReport& one = outcomes[i];
    if (one.outcome == certificate::Outcome::kFailed)
      failures.push_back(absl::StrCat("`", statements[i].node, "`: ", whose, " `",
                                      statements[i].statement, "`: ", one.failure));
    if (one.outcome == certificate::Outcome::kEvaluated)
      absl::StrAppend(&text, "`", certificate::Shown(statements[i].node), "`: not proved, held at ",
                      one.assignments,
                      " assignments: ", certificate::Shown(statements[i].statement), "\n");
  }
}

}  // namespace

absl::StatusOr<CertificateVerdict> CheckCertificate(const std::string& path,
                                                    certificate::CheckOptions options,
                                                    bool allow_evaluated) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<certificate::Certificate> read = certificate::ReadCertificate(*bytes);
  if (!read.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", path, "` is no certificate: ", read.status().message()));
  }
  const certificate::Certificate& certificate = *read;

  // What the certificate does not say, first.
  std::vector<std::string> failures;
  const std::vector<std::string> misplaced = certificate::OutOfOrder(certificate);
  recheck::Report report;
  const std::string artifact = ArtifactOf(path);
  std::unique_ptr<const targets::Artifact> opened;
  if (!artifact.empty()) {
    absl::StatusOr<targets::OpenedArtifact> file = targets::OpenFile(artifact);
    if (!file.ok()) return file.status();
    opened = std::move(file->artifact);
  }
  const std::optional<recheck::Artifact> operators =
      opened == nullptr ? std::nullopt : opened->Operators();
  if (!options.model.empty()) {
    absl::StatusOr<recheck::Report> rechecked =
        recheck::Recheck(options.model, certificate, operators ? &*operators : nullptr);
    if (!rechecked.ok()) return rechecked.status();
    report = *std::move(rechecked);
    failures = std::move(report.failures);
    for (const recheck::Unstated& unstated : report.unstated)
      options.also.push_back(unstated.statement);
  }
  failures.insert(failures.end(), misplaced.begin(), misplaced.end());
  if (opened != nullptr) {
    if (!certificate.artifact) {
      failures.push_back(
          absl::StrCat("the certificate does not speak of `", artifact, "`, which is beside it"));
    } else {
      absl::StatusOr<std::vector<std::string>> compared =
          CompareArtifact(artifact, *opened, certificate, options);
      if (!compared.ok()) return compared.status();
      failures.insert(failures.end(), compared->begin(), compared->end());
    }
  }
  if (!failures.empty()) {
    // Proofs of statements that are not the right ones say nothing.
    return CertificateVerdict{
        CertificateVerdict::kRejected,
        absl::StrCat(absl::StrJoin(failures, "\n"), "\nrejected: ", failures.size(),
                     " disagreements; its statements were not proved again\n")};
  }
  absl::StatusOr<certificate::FileReport> file = certificate::CheckFile(path, options);
  if (!file.ok()) return file.status();
  certificate::CheckReport& checked = file->report;
  const absl::StatusOr<certificate::CheckReport> sizes = CheckSizes(certificate, report, options);
  if (!sizes.ok()) return sizes.status();

  CertificateVerdict verdict;
  Report(report.unstated, checked.also, "the definitions require", failures, verdict.text);
  Report(report.of_sizes, sizes->also, "model and options have to say", failures, verdict.text);
  failures.insert(failures.end(), sizes->failures.begin(), sizes->failures.end());
  for (const std::string& failure : failures) absl::StrAppend(&verdict.text, failure, "\n");
  for (const std::string& left : report.left)
    absl::StrAppend(&verdict.text, "not derived: ", left, "\n");
  for (const std::string& tried : report.tried)
    absl::StrAppend(&verdict.text, "not proved, tried at some sizes alone: ", tried, "\n");
  absl::StrAppend(&verdict.text, certificate::ToText(certificate, checked));
  if (options.model.empty()) {
    absl::StrAppend(&verdict.text,
                    "only the statements were checked, not that they are all that the network "
                    "requires: `--model FILE` does\n");
  } else {
    absl::StrAppend(&verdict.text, report.nodes, " nodes of the model: ", report.requirements,
                    " requirements derived, ", report.left.size(), " nodes not derived",
                    certificate.options.empty()
                        ? ""
                        : absl::StrCat("; for ", absl::StrJoin(certificate.options, " ")),
                    "\n");
    for (const std::string& left : report.left_operators)
      absl::StrAppend(&verdict.text, "not derived: ", left, "\n");
    if (operators) {
      absl::StrAppend(
          &verdict.text, report.operators, " operators of the artifact: ", report.of_operators,
          " requirements derived, ", report.left_operators.size(), " operators not derived\n");
    } else if (opened != nullptr) {
      absl::StrAppend(&verdict.text, "of what this artifact requires nothing is derived again\n");
    }
  }
  for (const certificate::DeclaredFact& fact : certificate.facts)
    absl::StrAppend(&verdict.text, "assumed: ", certificate::Shown(fact.statement), " (",
                    fact.origin, ")\n");
  const bool unguarded =
      !certificate.artifact && checked.CountOf(certificate::Outcome::kGuarded) > 0;
  const bool evaluated = checked.CountOf(certificate::Outcome::kEvaluated) +
                             sizes->CountOf(certificate::Outcome::kEvaluated) +
                             static_cast<int64_t>(report.tried.size()) >
                         0;
  if (!failures.empty() || !checked.passed()) {
    verdict.kind = CertificateVerdict::kRejected;
    absl::StrAppend(&verdict.text, "rejected\n");
  } else if ((evaluated && !allow_evaluated) || !report.left.empty() || unguarded) {
    verdict.kind = CertificateVerdict::kNotProved;
    absl::StrAppend(&verdict.text, "not accepted: ",
                    evaluated && !allow_evaluated
                        ? "what is only evaluated may be false at sizes that were not tried; "
                          "`--allow-evaluated` accepts it\n"
                    : unguarded ? "there are guards, and no artifact that checks them\n"
                                : "what is not derived may be more than the certificate states\n");
  } else {
    verdict.kind = CertificateVerdict::kAccepted;
  }
  return verdict;
}

}  // namespace tessera::proving

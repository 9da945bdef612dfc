// The independent check of a certificate: another solver (cvc5), or plain evaluation, on terms that
// are read from the statements themselves. Nothing of what decided them in the compiler is used.
#ifndef TESSERA_SOLVER_CERTIFICATE_CHECK_H_
#define TESSERA_SOLVER_CERTIFICATE_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"

namespace tessera::certificate {

struct CheckOptions {
  std::string model;  // path of the model; empty: its digest is not checked
  std::string cvc5;   // path of the solver; empty: the one that was built with this program
  std::string
      libraries;  // with `cvc5`: the folder of its libraries; empty: where the system has them
  int64_t resources = 0;  // of cvc5 for a query, as `Attempt` in solver.h has them; 0: those there
  int64_t seconds = 600;  // of all together: a net, what it cuts off is an error
  // Further statements to prove, of the certificate's symbols; they have no queries.
  std::vector<std::string> also;
  std::string proofs;  // an existing folder for the queries that cvc5 proves, and its proofs
};

enum class Outcome {
  kProved,     // by cvc5, or at each admitted assignment
  kEvaluated,  // held at kLeastEvaluated admitted assignments or more; not proved
  kGuarded,    // nothing is claimed; it can be evaluated
  kFailed,
};
inline constexpr int64_t kLeastEvaluated = 10000;

struct ObligationReport {
  Outcome outcome = Outcome::kFailed;
  std::string by;           // "cvc5", "exhaustive", "evaluation"; empty where guarded or failed
  int64_t assignments = 0;  // at how many it held, of those that decided
  std::string failure;      // why, where it failed
};

struct CheckReport {
  // Of the certificate as a whole; where there are any, obligations are not looked at.
  std::vector<std::string> failures;
  std::vector<ObligationReport> obligations;  // one for each of the certificate's
  std::vector<ObligationReport> also;         // one for each of CheckOptions::also
  std::optional<int64_t> proofs;              // how many were written, where they were asked for
  int64_t CountOf(Outcome outcome) const;     // of both
  bool passed() const { return failures.empty() && CountOf(Outcome::kFailed) == 0; }
};

// Checks a certificate: its seal; that the witness has all symbols and satisfies all facts; that
// each query is that of its statement; and each statement: equal ones once, by a few small
// assignments, then by cvc5, then exhaustively where its symbols have few values, then at many
// assignments. Errors: the solver does not start, or fails again and again; the time is over; a
// proof cannot be written.
absl::StatusOr<CheckReport> Check(const Certificate& certificate, const CheckOptions& options);

// Also checks the artifact beside it (`path` without `.cert.json`) and the model against their
// digests. Errors: the file cannot be read or is no certificate; those of Check.
struct FileReport {
  Certificate certificate;
  CheckReport report;
};
absl::StatusOr<FileReport> CheckFile(const std::string& path, const CheckOptions& options);

// One line for each failure and each obligation that is not proved, then one with the counts.
std::string ToText(const Certificate& certificate, const CheckReport& report);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_CHECK_H_

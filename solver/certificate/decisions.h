// The statements of a certificate, decided: equal ones once, cheapest first.
#ifndef TESSERA_SOLVER_CERTIFICATE_DECISIONS_H_
#define TESSERA_SOLVER_CERTIFICATE_DECISIONS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "solver/certificate/problem.h"
#include "solver/certificate/solver.h"

namespace tessera::certificate {

// `for H = 3, W = 1`: the values of a claim's symbols among those of the problem.
std::string AssignmentText(const Problem& problem, const Claim& claim,
                           absl::Span<const int64_t> values);

class Decisions {
 public:
  // `problem` and `options` must outlive it. `witness` has the values of the problem's symbols.
  Decisions(const Problem& problem, std::vector<int64_t> witness, const CheckOptions& options,
            Program cvc5)
      : problem_(problem),
        witness_(std::move(witness)),
        options_(options),
        deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds)),
        cvc5_(std::move(cvc5), deadline_) {}

  // Fills in what became of `obligations` and of `options.also`. Errors: those of Check.
  absl::Status Run(absl::Span<const Obligation> obligations, CheckReport& report);

  // Writes query and proof of each statement that cvc5 proved, named by the first obligation that
  // states it. The number of proofs.
  absl::StatusOr<int64_t> WriteProofs(absl::Span<const Obligation> obligations) const;

 private:
  // What is to be decided about one statement, for all obligations that state it.
  struct Question {
    Claim claim;
    std::string query;
    std::optional<ObligationReport> decided;
    std::string failure;  // of the solver, the last one
    std::string logic;    // of the attempt that proved it; empty: none did
    int64_t degree = 0;   // of the query
  };

  static ObligationReport Failed(std::string why) {
    return {Outcome::kFailed, "", 0, std::move(why)};
  }
  ObligationReport Violated(const Claim& claim, absl::Span<const int64_t> values) const;
  // What can be said without deciding the statement; kProved stands for a question.
  ObligationReport Prepare(const Obligation& obligation);
  // Puts what is open and not linear in simpler words; whether there is such a question.
  bool Simplify();
  // Those that are not decided.
  std::vector<Question*> Open();
  // Those of them that were put in simpler words, in the statements' own words again.
  std::vector<Question*> Restated();
  // Those of them that can be put with fewer premises, put so.
  std::vector<Question*> Widened();
  // Of a query with fewer premises than the problem has `sat` says nothing.
  absl::Status Ask(std::vector<Question*> questions, Attempt attempt, bool wider = false);
  // Values that cvc5 says violate the claim are evaluated before they are believed. Either way the
  // claim is not proved.
  ObligationReport Refuted(const Question& question, const Attempt& attempt) const;
  ObligationReport Try(const Question& question) const;

  const Problem& problem_;
  const std::vector<int64_t> witness_;
  const CheckOptions& options_;
  const std::chrono::steady_clock::time_point deadline_;
  const Cvc5 cvc5_;
  std::map<std::string, Question> questions_;   // by statement
  std::map<std::string, std::string> queries_;  // likewise, of guards too
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_DECISIONS_H_

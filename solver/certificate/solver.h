// The solver cvc5, run as a program.
#ifndef TESSERA_SOLVER_CERTIFICATE_SOLVER_H_
#define TESSERA_SOLVER_CERTIFICATE_SOLVER_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "solver/certificate/process.h"

namespace tessera::certificate {

enum class Answer {
  kUnsat,
  kSat,
  kUnknown,  // it gave up within its resources, or had to be ended for its time
  kFailed,   // it answered nothing that can be understood, or crashed
};

struct Reply {
  Answer answer = Answer::kUnknown;
  std::string failure;  // why, where it failed
};

// How a query is put. Resources are counted in cvc5's own steps, so that answers do not depend on
// the machine; about 200,000 of them are a second.
struct Attempt {
  const char* logic;
  int64_t resources;
};

// cvc5 chooses its methods by the logic that is declared. Of 130 statements about shapes the first
// decides 122, the second 3 of those that are left; more resources decide no further ones.
inline constexpr Attempt kAttempts[] = {{"ALL", 200000}, {"QF_NIA", 100000}};

// The program, with the folder of its libraries.
struct Program {
  std::string path;
  std::string libraries;  // empty: none but the system's
};

// The cvc5 that was built with this program: in its runfiles, or in the tree it was built in. What
// the environment says counts for nothing. Error: it is not there.
absl::StatusOr<Program> FindCvc5();

class Cvc5 {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  Cvc5(Program program, Deadline deadline) : program_(std::move(program)), deadline_(deadline) {}

  // Each query is a script of SMT-LIB 2 that ends in `(check-sat)`. Several processes run at a
  // time, but which queries share one depends on nothing but their order. Errors: the program does
  // not start, fails at one query after the other, or is not done at the deadline.
  absl::StatusOr<std::vector<Reply>> Decide(absl::Span<const std::string> queries,
                                            const Attempt& attempt) const;

  // The values of `names` in a model of a query that was answered `sat`; empty if there are none
  // of 64 bits.
  std::vector<int64_t> Model(const std::string& query, absl::Span<const std::string> names,
                             const Attempt& attempt) const;

  // For each query that was answered `unsat`, a proof in the format Alethe; empty where cvc5 has
  // none within its resources. Errors as of Decide.
  absl::StatusOr<std::vector<std::string>> Proofs(absl::Span<const std::string> queries,
                                                  const Attempt& attempt) const;

 private:
  Command CommandFor(const Attempt& attempt, std::string input) const;
  absl::StatusOr<std::vector<Result>> Run(absl::Span<const Command> commands) const;

  Program program_;
  Deadline deadline_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SOLVER_H_

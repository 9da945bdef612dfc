// The solver cvc5, run as a program.
#ifndef TESSERA_SOLVER_CERTIFICATE_SOLVER_H_
#define TESSERA_SOLVER_CERTIFICATE_SOLVER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::certificate {

enum class Answer { kUnsat, kSat, kUnknown };

// How a query is put. Resources are counted in cvc5's own steps, so that answers do not depend on
// the machine; about 200,000 of them are a second.
struct Attempt {
  const char* logic;
  int64_t resources;
};

// cvc5 chooses its methods by the logic that is declared. Of 130 statements about shapes the first
// decides 122, the second 3 of those that are left; more resources decide no further ones.
inline constexpr Attempt kAttempts[] = {{"ALL", 200000}, {"QF_NIA", 100000}};

// The program: in the runfiles of this one, else on PATH.
std::string FindCvc5();

class Cvc5 {
 public:
  explicit Cvc5(std::string program) : program_(std::move(program)) {}

  // Each query is a script of SMT-LIB 2 that ends in `(check-sat)`. Several processes run at a
  // time, but which queries share one depends on nothing but their order. A query that ends its
  // process early counts as unknown. Error: the program does not start.
  absl::StatusOr<std::vector<Answer>> Decide(absl::Span<const std::string> queries,
                                             const Attempt& attempt) const;

  // The values of `names` in a model of a query that was answered `sat`; empty if there are none
  // of 64 bits.
  std::vector<int64_t> Model(const std::string& query, absl::Span<const std::string> names,
                             const Attempt& attempt) const;

 private:
  std::string program_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SOLVER_H_

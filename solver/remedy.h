// What a user could declare of the sizes so that a proposition holds that does not hold for all.
#ifndef TESSERA_SOLVER_REMEDY_H_
#define TESSERA_SOLVER_REMEDY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "solver/expr.h"

namespace tessera::solver {

// Declarations that belong together, each `H=1..128`, `H=2..`, `H=16`, `H=W`, `S=P+T`, `L=N+1..` or
// `H%2=1`.
using Remedy = std::vector<std::string>;

// Remedies under each of which alone Decide proves the proposition, or that it holds for some data
// where data decide sizes (solver/data_sizes.h); of each form the least
// restrictive: a least size, one that is computed from others, two symbols equal, one equal to a
// sum that the proposition compares it with, a remainder (of divisors up to 64). Where none of
// these helps, one least size or remainder for two or three symbols; where that does not help
// either, a largest size, or intervals about sizes for which it holds. What stands together is the
// least of each that goes with the others; of single sizes the one after the least is named, if
// there is one. `counterexample` satisfies the facts and not the proposition. Empty: nothing of
// these forms helps.
std::vector<Remedy> FindRemedies(Context& context, const Expr& predicate,
                                 const Assignment& counterexample);

// As long as this lives, FindRemedies finds none on its thread: for who asks whether propositions
// hold and tells nobody what would mend those that do not. Remedies take most of the time of a
// refusal.
class WithoutRemedies {
 public:
  WithoutRemedies();
  ~WithoutRemedies();
  WithoutRemedies(const WithoutRemedies&) = delete;
};

// `--dim H%2=0` or `--dim W%2=0`; each declaration as on a command line.
std::string ToText(const std::vector<Remedy>& remedies);

// A remedy that travels with the status of a refusal, with the id of the constraint that it mends;
// empty where there is none.
void Attach(const Remedy& remedy, absl::Status& status, const std::string& constraint);
Remedy Attached(const absl::Status& status);
std::string ConstraintOf(const absl::Status& status);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_REMEDY_H_

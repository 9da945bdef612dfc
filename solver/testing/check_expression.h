// One trial of the solver against plain evaluation: for tests with seeds, and for fuzzers.
#ifndef TESSERA_SOLVER_TESTING_CHECK_EXPRESSION_H_
#define TESSERA_SOLVER_TESTING_CHECK_EXPRESSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "solver/testing/random_terms.h"

namespace tessera::solver {

class ExpressionChecker {
 public:
  // A random term over symbols with random ranges and remainders: its normal form has its value,
  // within the bounds and the congruence said of it. Empty, or what is wrong.
  std::string CheckForm(Choices& choices);
  // A random proposition under random facts: a proof holds at all values tried, a counterexample
  // is one.
  std::string CheckDecision(Choices& choices);

  // Terms that have a value at the point tried, and those where the normal form has none for lack
  // of 64 bits.
  int64_t compared() const { return compared_; }
  int64_t overflowed() const { return overflowed_; }
  int64_t proved() const { return proved_; }
  int64_t refuted() const { return refuted_; }

 private:
  struct Domain {
    Range range;
    Congruence congruence;
  };
  Grammar RandomGrammar(Choices& choices);
  Domain RandomDomain(Choices& choices, bool divisor);
  // One for each name, declared in `context`.
  absl::StatusOr<std::vector<Domain>> DeclareDomains(Choices& choices, const Grammar& grammar,
                                                     const std::vector<std::string>& names,
                                                     Context& context);
  int64_t RandomValue(Choices& choices, const Domain& domain);

  Terms terms_;
  PlainEvaluator evaluator_;
  int64_t compared_ = 0;
  int64_t overflowed_ = 0;
  int64_t proved_ = 0;
  int64_t refuted_ = 0;
};

// The identity or, where `perturbed`, a false statement with that number, over the symbols of
// SymbolsOf(grammar); false: it grew too large, or no value was found that makes it false.
struct RandomClaim {
  Grammar grammar;
  Syntax claim;
};
bool MakeRandomClaim(uint64_t number, bool choices, int rewrites, bool perturbed,
                     RandomClaim* result);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_TESTING_CHECK_EXPRESSION_H_

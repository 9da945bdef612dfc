// Trying a claim at many assignments, or at all.
#ifndef TESSERA_SOLVER_CERTIFICATE_SEARCH_H_
#define TESSERA_SOLVER_CERTIFICATE_SEARCH_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "solver/certificate/evaluate.h"
#include "solver/certificate/problem.h"

namespace tessera::certificate {

struct Trial {
  int64_t held = 0;                              // at how many admitted assignments the claim held
  std::optional<std::vector<int64_t>> violated;  // values of all symbols; it ends the trial
  bool complete = false;                         // nothing was left out, nothing undecided
};

// Problem and claim outlive it.
class Search {
 public:
  // `witness` has values of all symbols that satisfy all facts; those that are not connected with
  // the claim keep theirs.
  Search(const Problem& problem, const Claim& claim, std::vector<int64_t> witness);

  // Every admitted assignment, if there are few enough to take less than about a second; otherwise
  // an empty trial.
  Trial Exhaust();

  // The witness, then small, extreme and random assignments, the same ones each time, until
  // `wanted` held or `tries` were looked at.
  Trial Sample(int64_t wanted, int64_t tries);

 private:
  // Admitted by its range and congruence: first + stride*k for 0 <= k < count.
  struct Progression {
    uint32_t symbol;
    int64_t first = 0;
    int64_t stride = 1;
    int64_t count = 1;
    bool all = false;  // whether these are all that are admitted, or there are ever larger ones
  };
  // A symbol that a fact equates with a term without it.
  struct Definition {
    uint32_t symbol;
    uint32_t fact;  // index in facts_
    uint32_t term;
  };

  void FindDefinitions(absl::Span<const uint32_t> facts);
  bool Admits(uint32_t symbol, int64_t value) const;
  // Completes values_ of free symbols by those that are defined; tries the claim if all facts hold.
  // False: the claim is violated.
  bool Visit(Trial& trial);
  void Choose(const Progression& free, int64_t k);
  int64_t Corner(const Progression& free);
  int64_t Random(const Progression& free);

  const Problem& problem_;
  const Claim& claim_;
  std::vector<int64_t> values_;
  int64_t steps_ = 1;  // operators of the claim and its facts
  std::vector<Progression> free_;
  std::vector<Definition> definitions_;  // each after those that it needs
  std::vector<Evaluator> facts_;
  Evaluator evaluator_;
  std::mt19937_64 random_{0x7e55e7a};
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SEARCH_H_

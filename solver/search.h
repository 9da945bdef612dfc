// Search for assignments by evaluation. Internal to this package.
#ifndef TESSERA_SOLVER_SEARCH_H_
#define TESSERA_SOLVER_SEARCH_H_

#include <cstdint>
#include <vector>

#include "solver/evaluate.h"
#include "solver/expr.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Looks for values of the symbols that satisfy all facts and make the predicate 0; where a division
// by what is not positive is evaluated on the way, they do neither. The order of trial is fixed.
class Search {
 public:
  // predicate 0: any assignment that satisfies the facts.
  Search(Store& store, const Expr& predicate);

  // 64 assignments of small values, and the ends of ranges.
  bool TrySmall();
  // Values where comparisons of the predicate or of the hypotheses change, and `rounds`
  // pseudo-random ones.
  bool TryMany(int rounds);
  // The pseudo-random ones of the rounds from `first` to `last`.
  bool TryRandom(int first, int last);
  // After a success: the values, made small one by one; with the symbols that the facts determine
  // from these.
  Assignment Result();

 private:
  struct Variable {
    size_t symbol;
    Range range;
    int64_t stride;
    int64_t first;  // the value tried first
    int64_t value;
  };
  // The values in their order of trial: `index` 0 is `first`; false: there are not that many.
  bool At(const Variable& variable, uint64_t index, int64_t* value) const;
  bool Holds();
  bool Fits(const Variable& variable, __int128 value) const;
  // Values near which the comparisons inside change, by secants along each variable.
  bool TryRoots(int rounds);
  bool TryRoot(const Expr& e, Variable& variable);
  void Shrink(Variable& variable);

  Store& store_;
  Expr predicate_;
  Evaluator evaluator_;
  std::vector<Variable> variables_;
  std::vector<std::pair<size_t, int64_t>> turning_points_;  // (index of variable, value)
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_SEARCH_H_

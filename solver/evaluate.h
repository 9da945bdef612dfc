// Evaluation of normal forms by index of symbol, many times over. Internal to this package.
#ifndef TESSERA_SOLVER_EVALUATE_H_
#define TESSERA_SOLVER_EVALUATE_H_

#include <cstdint>
#include <vector>

#include "solver/store.h"

namespace tessera::solver::internal {

enum class ValueError : uint8_t { kNone, kUnbound, kOverflow, kDivisor, kExcluded, kInvalid };

class Evaluator {
 public:
  explicit Evaluator(Store& store) : store_(store) { Restart(); }
  void Set(size_t symbol, int64_t value) {
    if (symbol >= bound_.size()) {
      values_.resize(symbol + 1);
      bound_.resize(symbol + 1);
    }
    values_[symbol] = value;
    bound_[symbol] = true;
  }
  // Forget values computed before the last calls of Set.
  void Restart() { stamp_ = ++store_.next_stamp; }
  ValueError Of(const Expr& e, int64_t* value) { return Of(Store::SlotOf(e), value); }
  // The symbol of the first kUnbound or kExcluded.
  size_t culprit() const { return culprit_; }

 private:
  ValueError Of(const Slot& slot, int64_t* value);
  ValueError Compute(const Node* node, int64_t* value);
  ValueError Symbol(size_t index, int64_t* value);

  Store& store_;
  // As far as the last symbol that was set: stores have many, and those of inputs come first.
  std::vector<int64_t> values_;
  std::vector<char> bound_;
  uint32_t stamp_ = 0;
  size_t culprit_ = 0;
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_EVALUATE_H_

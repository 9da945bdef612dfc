// Exact evaluation of claims.
#ifndef TESSERA_SOLVER_CERTIFICATE_EVALUATE_H_
#define TESSERA_SOLVER_CERTIFICATE_EVALUATE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "solver/certificate/problem.h"

namespace tessera::certificate {

enum class Truth {
  kHolds,
  kViolated,   // its value is 0, or a divisor that is evaluated is less than 1
  kUndecided,  // an intermediate value exceeds 128 bits
};

// Keeps its space between evaluations. The claim outlives it.
class Evaluator {
 public:
  explicit Evaluator(const Claim& claim);

  // `values` of all symbols of the problem.
  Truth Evaluate(absl::Span<const int64_t> values);

  // The value of one term of the claim's statement. False: it has none, or not one of 64 bits.
  bool ValueOf(uint32_t term, absl::Span<const int64_t> values, int64_t* value);

 private:
  enum class State : uint8_t { kDefined, kUndefined, kTooLarge };
  struct Value {
    __int128 value = 0;
    State state = State::kDefined;
  };

  // Computes the terms up to the last that is wanted.
  void Fill(absl::Span<const int64_t> values, uint32_t last);
  Value Apply(const Term& term) const;

  const Claim& claim_;
  std::vector<Value> values_;  // of the terms
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_EVALUATE_H_

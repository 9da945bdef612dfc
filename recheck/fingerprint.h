// Whether two statements say the same, told by their values.
#ifndef TESSERA_RECHECK_FINGERPRINT_H_
#define TESSERA_RECHECK_FINGERPRINT_H_

#include <string>
#include <vector>

#include "recheck/terms.h"

namespace tessera::recheck {

// Of statements among the terms.
class Fingerprints {
 public:
  explicit Fingerprints(const Terms& terms) : terms_(terms) {}

  // What a statement compares, at many sizes, admitted or not, and how its comparisons are joined.
  // Equal for statements that only compute alike what they compare; different, but for accidents
  // that nobody has contrived, for statements that compare anything else: a weaker one has another
  // though both hold for all sizes.
  const std::string& Of(Dim statement);
  // Whether it compares what is the same at all of these sizes.
  bool IsOfNumbers(Dim statement);

 private:
  void Evaluate();  // terms that are new
  std::string Compute(Dim statement) const;
  bool IsNumber(Dim term) const;
  std::string Sides(Dim a, Dim b, bool ordered) const;

  const Terms& terms_;
  // Of each term at each point, modulo 2^64; what is not defined counts as a number of its own.
  std::vector<std::vector<uint64_t>> values_;
  absl::flat_hash_map<Dim, std::string> known_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_FINGERPRINT_H_

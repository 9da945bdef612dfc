// Whether two statements say the same, told by their values.
#ifndef TESSERA_RECHECK_FINGERPRINT_H_
#define TESSERA_RECHECK_FINGERPRINT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
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
  // The same of sizes that the ranges of the symbols admit alone.
  std::string OfAdmitted(Dim statement);
  // Whether two numbers are different at a size that is admitted and near the constants that they
  // are made of, where what is chosen by comparisons changes.
  bool DifferAtConstants(Dim a, Dim b);
  // The values that a symbol takes; before anything of it is asked.
  void Declare(Dim symbol, int64_t low, int64_t high, int64_t stride, int64_t residue);
  // The number that a is as often as b, or of which b is the square, at all sizes that the ranges
  // of the symbols admit and that are tried; nothing: there is none. Whoever uses it must have it
  // proved.
  std::optional<int64_t> QuotientOf(Dim a, Dim b);
  std::optional<Dim> RootOf(Dim square);
  // Whether it is above 0 at these sizes.
  bool IsPositive(Dim dim);
  // Whether all that it compares is the same at some sizes, which the ranges of the symbols admit.
  bool IsOfNumbers(Dim statement);

 private:
  struct Range {
    int64_t first = 1, count = int64_t{1} << 31, stride = 1;  // first + k*stride, k < count
  };
  static int64_t Nearest(const Range& range, int64_t size);
  // What two terms are made of, in order; more than are looked at, where there are more.
  std::vector<Dim> Within(Dim a, Dim b) const;
  void Evaluate();  // terms that are new
  struct Points {
    size_t first, last;  // the last one excluded
  };
  std::string Compute(Dim statement, const Points& at) const;
  uint64_t SizeOf(Dim symbol, size_t point) const;
  bool ComparesNumbers(Dim statement) const;
  std::string Sides(Dim a, Dim b, bool ordered, const Points& at) const;

  const Terms& terms_;
  absl::flat_hash_map<Dim, Range> ranges_;
  // Of each term at each point, modulo 2^128; what is not defined counts as a number of its own.
  std::vector<std::vector<__int128>> values_;
  std::map<std::pair<Dim, Dim>, bool> differ_;  // that were tried near constants
  // Callers compare two of them: the first must stay where it is when the second is added.
  absl::node_hash_map<Dim, std::string> known_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_FINGERPRINT_H_

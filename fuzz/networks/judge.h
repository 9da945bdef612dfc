// What a target makes of a network, against the reference.
#ifndef TESSERA_FUZZ_NETWORKS_JUDGE_H_
#define TESSERA_FUZZ_NETWORKS_JUDGE_H_

#include <cstdint>
#include <set>
#include <string>

#include "fuzz/networks/recipe.h"
#include "tools/verification/target.h"

namespace tessera::fuzz {

struct Verdict {
  enum Kind : uint8_t {
    kHolds,     // at every size that was tried
    kRefused,   // the target says that it cannot
    kNoValues,  // the reference has none that could be compared: why
    kFinding
  };
  Kind kind = kNoValues;
  // What went wrong, or why not; without numbers of values, so that equal reasons have equal texts.
  std::string reason;
  std::string detail;  // sizes, and what differs by how much
};

// At three sizes, with seeded inputs. Outputs that a change of the inputs in their last bits
// changes (a rounding, the sign of what is nearly 0) say nothing and are not compared; nor, where
// an SNR is asked of the target, are those that noise on every value brings below it. What differs
// is no finding where noise on the last bits of every value changes it as well.
Verdict Judge(const Recipe& recipe, const verification::Target& target, uint64_t seed);

// Without the steps that a refusal names, for as long as it names any; what was refused is added to
// `refusals`.
Verdict JudgeWhatIsTaken(Recipe& recipe, const verification::Target& target, uint64_t seed,
                         std::set<std::string>& refusals);

// Without the steps after which the reference has no finite, moderate values: sums of larger ones
// depend on their order.
Recipe Tempered(const Recipe& recipe, uint64_t seed);

// The smallest network found that has a finding of the same reason: by taking away steps, outputs
// and symbols.
Recipe Reduced(const Recipe& recipe, const verification::Target& target, uint64_t seed,
               const std::string& reason);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_NETWORKS_JUDGE_H_

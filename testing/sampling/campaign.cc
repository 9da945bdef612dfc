#include "testing/sampling/campaign.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "testing/sampling/sampler.h"
#include "testing/sampling/shrink.h"
#include "testing/sampling/values.h"

namespace tessera::testing {

Campaign Sample(const Subject& subject, const Property& property, uint64_t seed, int count) {
  Campaign campaign;
  Sampler sampler(subject, seed);
  while (campaign.instances < count) {
    std::optional<Instance> instance = sampler.Next();
    if (!instance.has_value()) break;
    ++campaign.instances;
    const std::string problem = property(subject, *instance, campaign.seen);
    if (problem.empty()) continue;
    // Is it the values?
    for (Operand& operand : instance->operands) operand.tensor = Tamed(operand.tensor);
    Seen ignored;
    if (!HasValues(subject, *instance) || property(subject, *instance, ignored).empty()) {
      ++campaign.seen[absl::StrCat(problem.substr(0, problem.find_first_of(",:")),
                                   " differs where a value is not finite")];
      continue;
    }
    const Fails fails = [&](const Instance& smaller) {
      Seen ignored;
      return IsLegal(subject, smaller) && HasValues(subject, smaller) &&
             !property(subject, smaller, ignored).empty();
    };
    const Instance small = Shrink(subject, *std::move(instance), fails);
    campaign.failure =
        absl::StrCat(subject.signature->dialect, ".", subject.signature->op, ": ",
                     property(subject, small, ignored), "\n  in ", subject.signature->file, ":\n  ",
                     ExampleText(subject, small), "\n");
    break;
  }
  return campaign;
}

}  // namespace tessera::testing

#include "testing/sampling/campaign.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "testing/sampling/sampler.h"
#include "testing/sampling/shrink.h"
#include "testing/sampling/values.h"

namespace tessera::testing {

namespace {

// The first instance that fails, made small, as an example to paste.
std::string Failure(const Subject& subject, const Property& property, Instance instance) {
  const Fails fails = [&](const Instance& smaller) {
    Seen ignored;
    return IsLegal(subject, smaller) && HasValues(subject, smaller) &&
           !property(subject, smaller, ignored).empty();
  };
  const Instance small = Shrink(subject, std::move(instance), fails);
  Seen ignored;
  return absl::StrCat(subject.signature->dialect, ".", subject.signature->op, ": ",
                      property(subject, small, ignored), "\n  in ", subject.signature->file,
                      ":\n  ", ExampleText(subject, small), "\n");
}

void Ask(const Subject& subject, const Property& property, Instance instance, Campaign& campaign) {
  ++campaign.instances;
  const std::string problem = property(subject, instance, campaign.seen);
  if (problem.empty()) return;
  // Is it the values?
  for (Operand& operand : instance.operands) operand.tensor = Tamed(operand.tensor);
  Seen ignored;
  if (HasValues(subject, instance) && !property(subject, instance, ignored).empty()) {
    campaign.failure = Failure(subject, property, std::move(instance));
    return;
  }
  ++campaign.seen[absl::StrCat(problem.substr(0, problem.find_first_of(",:")),
                               " differs where a value is not finite")];
}

}  // namespace

Campaign Sample(const Subject& subject, const Property& property, uint64_t seed, int count) {
  Campaign campaign;
  for (const ops::Example& example : subject.examples->examples) {
    if (example.reject) continue;
    const absl::StatusOr<Instance> instance = InstanceOf(subject, example, seed);
    if (!instance.ok() || !IsLegal(subject, *instance) || !HasValues(subject, *instance)) continue;
    for (const Instance& each : {*instance, WithWeights(*instance)}) {
      if (campaign.failure.empty()) Ask(subject, property, each, campaign);
    }
  }
  Sampler sampler(subject, seed);
  for (int sampled = 0; sampled < count && campaign.failure.empty(); ++sampled) {
    std::optional<Instance> instance = sampler.Next();
    if (!instance.has_value()) break;
    Ask(subject, property, *std::move(instance), campaign);
  }
  return campaign;
}

}  // namespace tessera::testing

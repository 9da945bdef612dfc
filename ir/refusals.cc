#include "ir/refusals.h"

#include <map>
#include <utility>

namespace tessera::ir {
namespace {

using Reasons = std::map<std::pair<Refusal::Origin, std::string_view>, std::string_view>;

Reasons& All() {
  static auto* const reasons = new Reasons();
  return *reasons;
}

}  // namespace

void AddRefusals(absl::Span<const Refusal> refusals) {
  for (const Refusal& refusal : refusals)
    All().emplace(std::pair(refusal.origin, refusal.name), refusal.reason);
}

std::string_view RefusalOf(Refusal::Origin origin, std::string_view name) {
  const auto it = All().find({origin, name});
  return it == All().end() ? std::string_view() : it->second;
}

}  // namespace tessera::ir

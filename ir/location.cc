#include "ir/location.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace tessera::ir {

Location Location::Merge(absl::Span<const Location* const> locations) {
  Location merged;
  for (const Location* location : locations) {
    for (const std::string& scope : location->scopes) {
      if (std::find(merged.scopes.begin(), merged.scopes.end(), scope) == merged.scopes.end()) {
        merged.scopes.push_back(scope);
      }
    }
  }
  return merged;
}

std::string Location::ToString() const { return absl::StrJoin(scopes, " + "); }

}  // namespace tessera::ir

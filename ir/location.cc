#include "ir/location.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace tessera::ir {
namespace {

// Where a long chain becomes one operation, each merge would copy all scopes before it, and compare
// each with each: the first ones tell enough of where it came from.
constexpr size_t kMostScopes = 64;
// Stands for further scopes, at the end.
constexpr char kMore[] = "...";

}  // namespace

Location Location::Merge(absl::Span<const Location* const> locations) {
  Location merged;
  std::vector<std::string>& scopes = merged.scopes;
  bool more = false;
  for (const Location* location : locations) {
    for (const std::string& scope : location->scopes) {
      if (scope != kMore && std::find(scopes.begin(), scopes.end(), scope) != scopes.end())
        continue;
      if (scope == kMore || scopes.size() == kMostScopes) {
        more = true;
      } else {
        scopes.push_back(scope);
      }
    }
  }
  if (more) scopes.emplace_back(kMore);
  return merged;
}

std::string Location::ToString() const { return absl::StrJoin(scopes, " + "); }

}  // namespace tessera::ir

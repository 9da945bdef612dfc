// Which operations an algorithm is about: `target_scopes` and `ignored_scopes`.
//
// A text is one of
// - an address, or the name of a node: that operation;
// - a path of modules (`body/body.0`): what lies below it;
// - `{re}EXPRESSION`: where the regular expression (ECMAScript) is found in the address;
// - `{type}Conv`: the nodes of that type;
// - `{between}A..B`: what lies on a way from A to B, both included; A and B are addresses or names.
// An item that matches nothing is an error that names what is nearest.
#ifndef TESSERA_PASSES_COMPRESSION_SCOPES_SCOPE_FILTER_H_
#define TESSERA_PASSES_COMPRESSION_SCOPES_SCOPE_FILTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "passes/compression/scopes/address.h"

namespace tessera::compression {

class ScopeFilter {
 public:
  // `target`: empty means all. Errors (InvalidArgument) quote the item.
  static absl::StatusOr<ScopeFilter> Create(const ir::Graph& graph, const Addresses& addresses,
                                            const std::vector<std::string>& target,
                                            const std::vector<std::string>& ignored);

  bool Contains(const ir::Operation& op) const;
  // The item of `ignored` that leaves it out; empty: none does.
  std::string IgnoredBy(const ir::Operation& op) const;

 private:
  bool all_ = true;
  absl::flat_hash_set<int> targets_;
  absl::flat_hash_map<int, std::string> ignored_;  // by operation, the item
};

// The operations that one item is about; the error says what is nearest.
absl::StatusOr<std::vector<const ir::Operation*>> Matching(const ir::Graph& graph,
                                                           const Addresses& addresses,
                                                           const std::string& item);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SCOPES_SCOPE_FILTER_H_

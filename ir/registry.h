// All ops of all dialects that the program links.
#ifndef TESSERA_IR_REGISTRY_H_
#define TESSERA_IR_REGISTRY_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/types/span.h"
#include "ir/op_info.h"

namespace tessera::ir {

// A rewrite that only a user's word turns on.
struct RequestedRewrite {
  std::string_view name;
  std::string_view doc;  // what it does to the results, for the user
};

// What one op set contributes (generated: one function per dialect that lists its definitions).
struct Dialect {
  std::string_view name;
  absl::Span<const OpInfo* const> ops;
  absl::Span<const absl::Span<const ImportInfo>> imports;
  absl::Span<const absl::Span<const RewriteInfo>> builder_rewrites;
  // Names of those among all rewrites.
  absl::Span<const std::string_view> late_rewrites = {};
  absl::Span<const std::string_view> assuming_rewrites = {};
  absl::Span<const RequestedRewrite> requested_rewrites = {};
};

class Registry {
 public:
  Registry();  // with the ops of the dialect `ir`
  static Registry& Global();
  // Adding one twice is a no-op; aborts where a dialect has two ops of one name. Not thread-safe,
  // unlike what follows.
  void Add(const Dialect& dialect);
  const OpInfo* Find(std::string_view dialect, std::string_view op) const;
  const OpInfo* WithRole(std::string_view dialect, Role role) const;
  const OpInfo* WithCode(std::string_view dialect, int32_t code) const;
  std::vector<const OpInfo*> Ops(std::string_view dialect) const;  // sorted by name
  // Import clauses of an ONNX op, any version; the importer picks.
  std::vector<const ImportInfo*> Imports(std::string_view domain, std::string_view name) const;
  std::vector<const ImportInfo*> AllImports() const;
  // Rewrites of all dialects by the op at the root of their patterns: in the order in which
  // dialects were added, in a dialect by the name of the op that defines them, in an op in order of
  // definition. The first that applies is taken; a late one only where none of `RewritesAt` applies
  // anywhere in the graph.
  absl::Span<const RewriteInfo* const> RewritesAt(std::string_view root) const;
  absl::Span<const RewriteInfo* const> LateRewritesAt(std::string_view root) const;
  // Those that apply only where they are asked for by name; they stand in neither list above.
  absl::Span<const RewriteInfo* const> RequestedRewritesAt(std::string_view root) const;
  // All of them, by name.
  std::vector<RequestedRewrite> RequestedRewrites() const;
  // Names of all rewrites, sorted.
  std::vector<std::string> RewriteNames() const;
  // Whether its sides are equal over the reals, and floats may part where something is not finite
  // or -0 (`assumes finite`).
  bool AssumesFinite(const RewriteInfo& rewrite) const;

 private:
  template <class T>
  using ByName = std::map<std::string, T, std::less<>>;

  ByName<ByName<const OpInfo*>> ops_;  // by dialect
  // The first by name, where there are several.
  ByName<std::map<Role, const OpInfo*>> with_role_;
  ByName<std::unordered_map<int32_t, const OpInfo*>> with_code_;
  ByName<std::vector<const ImportInfo*>> imports_;
  std::vector<const ImportInfo*> all_imports_;
  ByName<std::vector<const RewriteInfo*>> rewrites_, late_rewrites_, requested_rewrites_;
  ByName<RequestedRewrite> requested_;
  std::set<std::string, std::less<>> assuming_;
  // What has been added.
  std::set<const void*> seen_;
};

// The two ops that the IR itself defines: their payload is data, not definition.
const OpInfo& ConstantInfo();          // payload(); dialect `ir`
const OpInfo& SymbolicConstantInfo();  // attr 0 `dtype`, 1 `shape` ints, 2 `elements` dims

}  // namespace tessera::ir

#endif  // TESSERA_IR_REGISTRY_H_

// All ops of all dialects that the program links.
#ifndef TESSERA_IR_REGISTRY_H_
#define TESSERA_IR_REGISTRY_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/op_info.h"

namespace tessera::ir {

// What one op set contributes (generated: one function per dialect that lists its definitions).
struct Dialect {
  std::string_view name;
  absl::Span<const OpInfo* const> ops;
  absl::Span<const absl::Span<const ImportInfo>> imports;
  absl::Span<const absl::Span<const RewriteInfo>> builder_rewrites;
};

class Registry {
 public:
  static Registry& Global();
  void Add(const Dialect& dialect);  // adding one twice is a no-op
  const OpInfo* Find(std::string_view dialect, std::string_view op) const;
  const OpInfo* WithRole(std::string_view dialect, Role role) const;
  const OpInfo* WithCode(std::string_view dialect, int32_t code) const;
  std::vector<const OpInfo*> Ops(std::string_view dialect) const;  // sorted by name
  // Import clauses of an ONNX op, any version; the importer picks.
  std::vector<const ImportInfo*> Imports(std::string_view domain, std::string_view name) const;
  std::vector<const ImportInfo*> AllImports() const;
  // Rewrites of all dialects by the op at the root of their patterns.
  absl::Span<const RewriteInfo* const> RewritesAt(std::string_view root) const;
};

// The two ops that the IR itself defines: their payload is data, not definition.
const OpInfo& ConstantInfo();          // payload(); dialect `ir`
const OpInfo& SymbolicConstantInfo();  // attr 0 `dtype`, 1 `shape` ints, 2 `elements` dims

}  // namespace tessera::ir

#endif  // TESSERA_IR_REGISTRY_H_

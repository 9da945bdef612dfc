// Derivations of many expressions, as one: what they have in common stands once.
#ifndef TESSERA_SOLVER_SHARED_SYNTAX_H_
#define TESSERA_SOLVER_SHARED_SYNTAX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "solver/expr.h"
#include "solver/syntax.h"

namespace tessera::solver {

namespace internal {
struct Term;
}  // namespace internal

// Of expressions of one context. The Syntax has no last node that is the statement.
class SharedSyntax {
 public:
  // The node that stands for what DerivationOf(e) is.
  uint32_t Add(const Expr& e);
  const Syntax& syntax() const { return syntax_; }

 private:
  uint32_t Integer(int64_t value);

  Syntax syntax_;
  absl::flat_hash_map<const internal::Term*, uint32_t> places_;
  absl::flat_hash_map<int64_t, uint32_t> integers_;  // their nodes
};

// What is used more than once is named first, for all of them.
struct SharedTexts {
  std::vector<std::string> definitions;  // `term1 = mod(H, 8)`, each of names before it
  std::vector<std::string> texts;        // one per root
};
SharedTexts ToTexts(const Syntax& syntax, absl::Span<const uint32_t> roots);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_SHARED_SYNTAX_H_

// That each rewrite keeps legality and shapes for all sizes, proved on its example with symbols for
// the sizes.
#ifndef TESSERA_TESTING_REWRITE_PROOFS_H_
#define TESSERA_TESTING_REWRITE_PROOFS_H_

#include <string>

#include "codegen/support/examples.h"

namespace tessera::testing {

struct RewriteProof {
  int symbols = 0;      // sizes of the example that became symbols; 0: numbers only
  int statements = 0;   // proved about them
  std::string failure;  // what is refuted or undecided; empty: none
};

// Each size of the example that the left side leaves free becomes a symbol >= 1 (or, where the left
// side is only legal from there on, not below the example's size), the same for equal sizes. Then
// the rewrite is applied; that the right side is legal and has the left side's dims must follow.
// The same with other element types in place of f32, with the example's sizes.
RewriteProof ProveRewrite(const ops::RewriteExample& example);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_REWRITE_PROOFS_H_

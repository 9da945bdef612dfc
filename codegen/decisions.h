// What a lowering decides by, in the order of its text.
#ifndef TESSERA_CODEGEN_DECISIONS_H_
#define TESSERA_CODEGEN_DECISIONS_H_

#include <vector>

#include "codegen/ast.h"

namespace tessera::codegen {

// A guard, the condition of a choice, a side of `&&` or `||`, or a comparison by size; and how it
// may be supposed to come out otherwise.
struct Decision {
  NodePtr node;
  bool holds = false;  // it is left out of a conjunction, or always so
  bool fails = false;  // it is left out of a disjunction, or never so
  bool moves = false;  // the right side is one more, or one less
};

// Functions that a lowering calls decide for many, and have none here.
std::vector<Decision> DecisionsOf(const LowerClause& lower);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_DECISIONS_H_

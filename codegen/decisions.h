// What a lowering decides by, in the order of its text.
#ifndef TESSERA_CODEGEN_DECISIONS_H_
#define TESSERA_CODEGEN_DECISIONS_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"

namespace tessera::codegen {

// A guard, the condition of a choice, a side of `&&` or `||`, or a comparison by size; and how it
// may be supposed to come out otherwise.
struct Decision {
  NodePtr node;
  bool holds = false;    // it is left out of a conjunction, or always so
  bool fails = false;    // it is left out of a disjunction, or never so
  bool moves = false;    // the right side is one more, or one less
  std::string function;  // in whose body it stands; empty: in the lowering's own text
};

// Those of its own text, and behind them those in the functions that it calls, of each once: what
// is supposed there is supposed of every call.
std::vector<Decision> DecisionsOf(const LowerClause& lower, const Program& program);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_DECISIONS_H_

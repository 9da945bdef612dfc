// How many indices a tensor in a `ref` is given, against how many axes it has.
#ifndef TESSERA_CODEGEN_INDEX_CHECK_H_
#define TESSERA_CODEGEN_INDEX_CHECK_H_

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// An error where the two are not equal for all ranks of the operands. Both are sums over names
// (`2 + len(P)`); where a list's length is no such sum, nothing is said.
void CheckIndices(const Program& program, const Op& op, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_INDEX_CHECK_H_

// Families: statements that several ops have in common.
#ifndef TESSERA_CODEGEN_FAMILIES_H_
#define TESSERA_CODEGEN_FAMILIES_H_

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// Whether each parameter has one argument or a default; errors go to `diagnostics`.
bool CheckArguments(const Op& op, const Member& member, const Family& family,
                    Diagnostics& diagnostics);

// `op NAME { own statements, then those of the family }`, where each parameter has become its
// argument and the family's name that of the op, in names and in `{...}` of texts. The parts of the
// text say where each stands. Arguments must be right.
Source MemberText(const Op& op, const Member& member, const Family& family,
                  Diagnostics& diagnostics);

// A parameter named twice, or mentioned nowhere.
void CheckFamily(const Family& family, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_FAMILIES_H_

// Operators of others that definitions refuse, as data.
#ifndef TESSERA_CODEGEN_REFUSAL_EMITTER_H_
#define TESSERA_CODEGEN_REFUSAL_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// Operators that are refused twice, or that a clause takes, and refusals of nothing.
void CheckRefusals(const std::vector<const File*>& files, Diagnostics& diagnostics);

// The source of `TITLERefusals()`.
std::string EmitRefusals(const std::vector<const File*>& files, const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_REFUSAL_EMITTER_H_

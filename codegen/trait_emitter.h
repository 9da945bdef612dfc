// What quantization may do at the operands of ops, from their `quantize` clauses; derived for ops
// that only move data.
#ifndef TESSERA_CODEGEN_TRAIT_EMITTER_H_
#define TESSERA_CODEGEN_TRAIT_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// The source of `TITLETraits()`: one entry per op that is no builder.
std::string EmitTraits(const std::vector<const File*>& files, const std::string& title,
                       Diagnostics& diagnostics);
// What is wrong with the clauses of `file`.
void CheckTraits(const File& file, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_TRAIT_EMITTER_H_

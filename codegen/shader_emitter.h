// Kernels for devices that are written by hand, beside the definition of what they compute.
#ifndef TESSERA_CODEGEN_SHADER_EMITTER_H_
#define TESSERA_CODEGEN_SHADER_EMITTER_H_

#include <string>
#include <utility>
#include <vector>

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// The source of `TITLEShaders()`: one entry per op with a `shader` clause, with the text of the
// `.comp` beside its file.
std::string EmitShaders(const std::vector<std::pair<const File*, std::string>>& files_and_texts,
                        const std::string& title, Diagnostics& diagnostics);
// What is wrong with the clauses of `file`.
void CheckShaders(const File& file, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SHADER_EMITTER_H_

// Emits signatures as data for tests.
#ifndef TESSERA_CODEGEN_SIGNATURE_EMITTER_H_
#define TESSERA_CODEGEN_SIGNATURE_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"

namespace tessera::codegen {

// `const std::vector<Signature>& <title>Signatures()` over all ops of `files`.
std::string EmitSignatures(const Program& program, const std::vector<const File*>& files,
                           const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SIGNATURE_EMITTER_H_

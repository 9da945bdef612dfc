// Emits the examples of a dialect's definitions as data for the generated tests.
#ifndef TESSERA_CODEGEN_EXAMPLE_EMITTER_H_
#define TESSERA_CODEGEN_EXAMPLE_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// `const std::vector<OpExamples>& <title>Examples()` over the files. The examples are text that the
// program reads (`ReadExamples`): as C++ they took the compiler longer than the ops themselves.
std::string EmitExamples(const Program& program, const std::vector<const File*>& files,
                         const std::string& title, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_EXAMPLE_EMITTER_H_

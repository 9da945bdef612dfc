// Emits the examples of a dialect's definitions as data for the generated tests.
#ifndef TESSERA_CODEGEN_EXAMPLE_EMITTER_H_
#define TESSERA_CODEGEN_EXAMPLE_EMITTER_H_

#include <string>
#include <utility>
#include <vector>

#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// A source with a function that adds the examples of one file.
std::string EmitExamples(const Program& program, const File& file, const std::string& stem,
                         Diagnostics& diagnostics);

// `const std::vector<OpExamples>& <title>Examples()` over the files, each with its stem.
std::string EmitExampleIndex(const std::vector<std::pair<const File*, std::string>>& files,
                             const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_EXAMPLE_EMITTER_H_

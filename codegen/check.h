// What definitions must hold beside what their emitters notice: names, and that everything stated
// is exercised.
#ifndef TESSERA_CODEGEN_CHECK_H_
#define TESSERA_CODEGEN_CHECK_H_

#include <vector>

#include "codegen/program.h"

namespace tessera::codegen {

// Names declared twice or of no use, constraints without a `reject`, rewrites without an `example`.
void CheckDeclarations(const Program& program, const File& file, Diagnostics& diagnostics);

// Everything that is wrong with the definitions of `files`, whatever would be emitted from them.
void CheckAll(const Program& program, const std::vector<const File*>& files,
              Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_CHECK_H_

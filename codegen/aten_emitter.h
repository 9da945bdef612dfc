// The import clauses for ATen, in sources of their own: what a definition's own source says does
// not depend on them.
#ifndef TESSERA_CODEGEN_ATEN_EMITTER_H_
#define TESSERA_CODEGEN_ATEN_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// Errors where two clauses of `files` claim one overload, or one names no overload.
void CheckAten(const std::vector<const File*>& files, Diagnostics& diagnostics);

// A source with the clauses of several files, each of which lies in `folder`.
std::string EmitAtenClauses(const Program& program, const std::vector<const File*>& files,
                            const std::vector<std::string>& paths, Diagnostics& diagnostics);

// The source that lists those of all files: `absl::Span<const ir::AtenInfo* const> TITLEAten()`.
std::string EmitAtenIndex(const std::vector<const File*>& files, const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_ATEN_EMITTER_H_

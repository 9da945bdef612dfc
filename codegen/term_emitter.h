// Emits what builds graphs: builders, importer clauses, rewrites and lowerings.
#ifndef TESSERA_CODEGEN_TERM_EMITTER_H_
#define TESSERA_CODEGEN_TERM_EMITTER_H_

#include <set>
#include <string>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

std::string EmitBuilder(const Program& program, const Op& op,
                        Diagnostics& diagnostics);  // `<Op>Build`
std::string EmitImport(const Program& program, const Op& op, size_t clause,
                       Diagnostics& diagnostics);  // `<Op>Import<clause>`
std::string EmitAten(const Program& program, const Op& op, size_t clause,
                     Diagnostics& diagnostics);  // `<Op>Aten<clause>`
std::string EmitRewrite(const Program& program, const Op& op, const RewriteDecl& rewrite,
                        Diagnostics& diagnostics);  // `<Op>_<rewrite>`
std::string EmitLowering(const Program& program, const Op& op, const LowerClause& lower,
                         Diagnostics& diagnostics);  // `<Op>Lower_<target>`

// Every node attribute that the clause reads.
std::set<std::string> AttributesRead(const OnnxClause& clause);
// The op at the root of the pattern.
std::string RootOf(const RewriteDecl& rewrite);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_TERM_EMITTER_H_

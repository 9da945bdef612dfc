// The manual: a page over all definitions of a set, in Markdown.
#ifndef TESSERA_CODEGEN_MANUAL_EMITTER_H_
#define TESSERA_CODEGEN_MANUAL_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/support_emitter.h"

namespace tessera::codegen {

// `title` is the page's heading. Ops in the order of their names; each with its
// signature, constraints, shapes, semantics, imports, lowerings, rewrites and
// examples.
std::string EmitManual(const Program& program, const std::vector<const File*>& files,
                       const std::string& title, const Observed& observed = {});

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_MANUAL_EMITTER_H_

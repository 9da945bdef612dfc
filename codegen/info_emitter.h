// Assembles the generated source of one definition file, and the table of a dialect.
#ifndef TESSERA_CODEGEN_INFO_EMITTER_H_
#define TESSERA_CODEGEN_INFO_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// A C++ string literal.
std::string Quote(const std::string& text);

// `<stem>.cc`: for each op of the file its shape struct, `const ir::OpInfo& <Op>Info()` and
// `<Op>Imports()`. `folder` is where the file's extern headers lie. It includes nothing that is
// generated: another definition in the set changes nothing for this one.
std::string EmitSource(const Program& program, const File& file, const std::string& stem,
                       const std::string& folder, Diagnostics& diagnostics);

// `const ir::Dialect& <title>Ops()` over all ops of `files`, which are of one dialect.
std::string EmitIndex(const std::vector<const File*>& files, const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_INFO_EMITTER_H_

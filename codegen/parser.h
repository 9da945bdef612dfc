// Recursive descent with precedence climbing over one definition file.
#ifndef TESSERA_CODEGEN_PARSER_H_
#define TESSERA_CODEGEN_PARSER_H_

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// What could be parsed; errors go to `diagnostics`, after which the tree must not be used.
File Parse(const Source& source, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_PARSER_H_

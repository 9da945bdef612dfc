// Emits the shape struct of an op: one template over the domain that binds operands and attributes,
// checks every constraint and computes the results' dims.
#ifndef TESSERA_CODEGEN_SHAPE_EMITTER_H_
#define TESSERA_CODEGEN_SHAPE_EMITTER_H_

#include <string>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

struct ShapeCode {
  std::string types;      // `template <class Domain> struct <Op>Shape`
  std::string functions;  // its members, and all of them over expressions for other sources
};

// Of each op of the file. The source of the definition has both parts; what else is generated from
// it has the types, and links to the functions.
ShapeCode EmitShapes(const Program& program, const File& file, Diagnostics& diagnostics);

// Member declarations and kinds that other emitters rely on.
std::string AttrKindCode(const AttributeDecl& attribute);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SHAPE_EMITTER_H_

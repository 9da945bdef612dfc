// Expressions of the language as text, for manuals. Parsing the text gives the
// same tree.
#ifndef TESSERA_CODEGEN_EXPRESSION_PRINTER_H_
#define TESSERA_CODEGEN_EXPRESSION_PRINTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"

namespace tessera::codegen {

std::string ExpressionText(const NodePtr& node);
std::string BinderText(const std::vector<Binder>& binders);  // `d in 0..R, x in xs`

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_EXPRESSION_PRINTER_H_

// What an op takes, makes and computes: operands, attributes, `ref`.
#ifndef TESSERA_CODEGEN_SIGNATURE_PARSER_H_
#define TESSERA_CODEGEN_SIGNATURE_PARSER_H_

#include <string>
#include <vector>

#include "codegen/clause_parser.h"

namespace tessera::codegen {

// Each takes what follows its keyword; `place` is that of the keyword.
class SignatureParser : protected ClauseParser {
 protected:
  using ClauseParser::ClauseParser;

  std::vector<std::string> Classes();
  Operand ParseOperand();
  AttributeDecl ParseAttribute();
  RefStatement ParseRef(Place place);
  RefStatement ParseTemp(Place place);

 private:
  std::vector<RefIndex> RefIndices();
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SIGNATURE_PARSER_H_

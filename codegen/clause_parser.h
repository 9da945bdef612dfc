// The clauses of an op: imports, rewrites, lowerings, examples.
#ifndef TESSERA_CODEGEN_CLAUSE_PARSER_H_
#define TESSERA_CODEGEN_CLAUSE_PARSER_H_

#include <string>
#include <vector>

#include "codegen/expression_parser.h"

namespace tessera::codegen {

// What is said of a shader besides its constants.
const std::vector<std::string>& ShaderAmounts();

// Each takes what follows its keyword; `place` is that of the keyword.
class ClauseParser : protected ExpressionParser {
 protected:
  using ExpressionParser::ExpressionParser;

  // `[d in 0..n]`, if there is one.
  std::vector<Binder> OptionalBinders();
  ClauseItem ParseLet();
  ClauseItem ParseClauseRequire();
  OnnxClause ParseOnnx(Place place);
  // One per overload that is named; they mean the same.
  std::vector<AtenClause> ParseAten(Place place);
  RewriteDecl ParseRewrite(Place place);
  bool ParseAssumesFinite();
  LowerClause ParseLower(Place place);
  QuantizeDecl ParseQuantize(Place place);
  ShaderDecl ParseShader(Place place);
  Example ParseExample(bool reject, Place place);

 private:
  void ParseImportFunction(OnnxClause& clause);  // behind `extern`
  // `{ ... } => TERM`, both of which may be missing.
  void ParseImportBody(OnnxClause& clause);
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_CLAUSE_PARSER_H_

// Tokens of the op language.
#ifndef TESSERA_CODEGEN_LEXER_H_
#define TESSERA_CODEGEN_LEXER_H_

#include <string>
#include <vector>

#include "codegen/source.h"

namespace tessera::codegen {

struct Token {
  enum Kind { kName, kInt, kFloat, kString, kPunct, kEnd };
  Kind kind = kEnd;
  std::string text;  // of a string: its contents
  Place place;
};

// The tokens between two offsets of the text, then a kEnd token. Errors go to `diagnostics`.
std::vector<Token> Lex(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_LEXER_H_

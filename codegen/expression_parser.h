// The token cursor and the expression grammar, shared by all statements.
#ifndef TESSERA_CODEGEN_EXPRESSION_PARSER_H_
#define TESSERA_CODEGEN_EXPRESSION_PARSER_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "codegen/ast.h"
#include "codegen/lexer.h"

namespace tessera::codegen {

class ExpressionParser {
 protected:
  ExpressionParser(const Source& source, Diagnostics& diagnostics)
      : ExpressionParser(source, 0, source.text.size(), diagnostics) {}
  ExpressionParser(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), tokens_(Lex(source, begin, end, diagnostics)) {}

  // The first error stops the file: what follows it is mostly noise.
  bool failed() const { return failed_; }
  bool AtEnd() const { return Peek().kind == Token::kEnd; }
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  Place Here() const { return Peek().place; }
  void Next() { position_ = std::min(position_ + 1, tokens_.size() - 1); }
  void Back() { --position_; }
  bool At(absl::string_view text) const {
    return Peek().text == text && Peek().kind != Token::kString;
  }
  bool Accept(absl::string_view text);
  void Expect(absl::string_view text);
  void Fail(absl::string_view message);
  std::string Name(absl::string_view what);
  std::string String(absl::string_view what);
  MessageText Message(absl::string_view what);
  int SignedInt();

  NodePtr Expression();           // from `?:` down
  NodePtr Primary();              // with postfix operators
  std::vector<Binder> Binders();  // up to what does not continue them

 private:
  NodePtr Ternary();
  NodePtr Binary(int level);
  NodePtr Unary();
  NodePtr Atom();
  NodePtr Scan(Place place);
  NodePtr Fold(std::string name, Place place, bool parenthesised);
  bool StartsBinder(size_t ahead) const;

  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  bool failed_ = false;
  int depth_ = 0;
};

// The expression between two offsets of the text.
NodePtr ParseExpression(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_EXPRESSION_PARSER_H_

// Statements as text.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace {

// Larger subterms get a name of their own, so that no line nests without end.
constexpr int kLongestUnnamed = 24;

struct Spelling {
  const char* token;
  int precedence;  // of an infix; 0: a function
};
constexpr int kUnary = 6;
constexpr int kPrimary = 7;

Spelling SpellingOf(Op op) {
  switch (op) {
    case Op::kOr:
      return {" || ", 1};
    case Op::kAnd:
      return {" && ", 2};
    case Op::kEq:
      return {" == ", 3};
    case Op::kNe:
      return {" != ", 3};
    case Op::kLt:
      return {" < ", 3};
    case Op::kLe:
      return {" <= ", 3};
    case Op::kGt:
      return {" > ", 3};
    case Op::kGe:
      return {" >= ", 3};
    case Op::kAdd:
      return {" + ", 4};
    case Op::kSubtract:
      return {" - ", 4};
    case Op::kMultiply:
      return {"*", 5};
    case Op::kNegate:
      return {"-", kUnary};
    case Op::kNot:
      return {"!", kUnary};
    case Op::kAbs:
      return {"abs", 0};
    case Op::kFloorDiv:
      return {"floordiv", 0};
    case Op::kCeilDiv:
      return {"ceildiv", 0};
    case Op::kMod:
      return {"mod", 0};
    case Op::kTruncDiv:
      return {"truncdiv", 0};
    case Op::kMin:
      return {"min", 0};
    case Op::kMax:
      return {"max", 0};
    case Op::kIte:
      return {"ite", 0};
    case Op::kInteger:
    case Op::kSymbol:
      break;
  }
  return {"", kPrimary};
}

bool IsPlainName(std::string_view name) {
  const auto starts = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  if (name.empty() || !starts(name[0]) || name == "and" || name == "or" || name == "not") {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return starts(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '\'';
  });
}

class Writer {
 public:
  explicit Writer(const Syntax& syntax) : syntax_(syntax), texts_(syntax.nodes.size()) {}

  std::string Run() {
    const std::vector<bool> named = Named();
    const std::string prefix = Prefix();
    std::string text;
    int count = 0;
    for (size_t i = 0; i < syntax_.nodes.size(); ++i) {
      texts_[i] = TextOf(syntax_.nodes[i]);
      if (!named[i] || i + 1 == syntax_.nodes.size()) continue;
      const std::string name = absl::StrCat(prefix, ++count);
      absl::StrAppend(&text, name, " = ", texts_[i].text, "; ");
      texts_[i] = {name, kPrimary};
    }
    return syntax_.nodes.empty() ? text : text + texts_.back().text;
  }

 private:
  struct Piece {
    std::string text;
    int precedence = kPrimary;
  };

  std::vector<bool> Named() const {
    const size_t count = syntax_.nodes.size();
    // By what is part of the statement: a definition that nothing goes by is left out.
    std::vector<int> uses(count, 0);
    if (count > 0) uses.back() = 1;
    for (size_t at = count; at-- > 0;) {
      const SyntaxNode& node = syntax_.nodes[at];
      for (int i = 0; uses[at] > 0 && i < OperandCount(node.op); ++i) ++uses[node.operands[i]];
    }
    std::vector<int> sizes(count, 0);
    std::vector<bool> named(count, false);
    for (size_t at = 0; at < count; ++at) {
      const SyntaxNode& node = syntax_.nodes[at];
      if (OperandCount(node.op) == 0 || uses[at] == 0) continue;
      int size = 1;
      for (int i = 0; i < OperandCount(node.op); ++i) size += sizes[node.operands[i]];
      named[at] = uses[at] > 1 || size >= kLongestUnnamed;
      sizes[at] = named[at] ? 0 : size;
    }
    return named;
  }

  // Of the names of subterms; no symbol looks like one.
  std::string Prefix() const {
    std::string prefix = "t";
    const auto looks_alike = [&](const std::string& name) {
      return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
             std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                         [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
    };
    while (std::any_of(syntax_.symbols.begin(), syntax_.symbols.end(), looks_alike)) prefix += "_";
    return prefix;
  }

  std::string Operand(uint32_t index, int least_precedence) const {
    const Piece& piece = texts_[index];
    return piece.precedence >= least_precedence ? piece.text : absl::StrCat("(", piece.text, ")");
  }

  Piece TextOf(const SyntaxNode& node) const {
    if (node.op == Op::kInteger) {
      // A negative number stands as an operand in parentheses, but for a sum's first.
      return {absl::StrCat(node.value), node.value < 0 ? 4 : kPrimary};
    }
    if (node.op == Op::kSymbol) {
      const std::string& name = syntax_.symbols[static_cast<size_t>(node.value)];
      return {IsPlainName(name) ? name : absl::StrCat("`", name, "`"), kPrimary};
    }
    const Spelling spelling = SpellingOf(node.op);
    if (spelling.precedence == kUnary) {
      // A sign before digits belongs to them, and there is no -0.
      const bool number = syntax_.nodes[node.operands[0]].op == Op::kInteger;
      if (node.op == Op::kNegate && number)
        return {absl::StrCat("-(", texts_[node.operands[0]].text, ")"), kUnary};
      return {spelling.token + Operand(node.operands[0], kPrimary), kUnary};
    }
    if (spelling.precedence == 0) {
      std::string text = absl::StrCat(spelling.token, "(");
      for (int i = 0; i < OperandCount(node.op); ++i) {
        absl::StrAppend(&text, i == 0 ? "" : ", ", texts_[node.operands[i]].text);
      }
      return {text + ")", kPrimary};
    }
    // Comparisons do not chain; the others are read from the left.
    const int left = spelling.precedence + (spelling.precedence == 3 ? 1 : 0);
    return {absl::StrCat(Operand(node.operands[0], left), spelling.token,
                         Operand(node.operands[1], spelling.precedence + 1)),
            spelling.precedence};
  }

  const Syntax& syntax_;
  std::vector<Piece> texts_;
};

}  // namespace

std::string ToText(const Syntax& syntax) { return Writer(syntax).Run(); }

}  // namespace tessera::solver

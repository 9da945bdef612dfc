// Statements about integers as they were written: parsed, not simplified. What encodes, evaluates
// or checks a statement independently of the normal form works on these.
//
//   statement := { name "=" or ";" } or
//   or      := and { ("||" | "or") and }
//   and     := compare { ("&&" | "and") compare }
//   compare := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//   sum     := product { ("+" | "-") product }
//   product := unary { "*" unary }
//   unary   := ("-" | "!" | "not") unary | primary
//   primary := integer | name | "(" or ")" | function "(" or { "," or } ")" | ("floor" | "ceil")
//   "(" or "/" primary ")" function: floordiv ceildiv mod truncdiv (two operands), min max (two or
//   more), abs, ite (three)
// A name is a letter or `_`, then letters, digits, `_`, `.`, `'`; or anything but a backtick
// between backticks.
#ifndef TESSERA_SOLVER_SYNTAX_H_
#define TESSERA_SOLVER_SYNTAX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "solver/expr.h"

namespace tessera::solver {

enum class Op : uint8_t {
  kInteger,  // value
  kSymbol,   // value: index into Syntax::symbols
  kNegate,
  kNot,
  kAbs,
  kAdd,
  kSubtract,
  kMultiply,
  kFloorDiv,
  kCeilDiv,
  kMod,
  kTruncDiv,
  kMin,
  kMax,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kIte,
};

struct SyntaxNode {
  Op op;
  uint32_t operands[3] = {0, 0, 0};  // earlier nodes
  int64_t value = 0;
  friend bool operator==(const SyntaxNode&, const SyntaxNode&) = default;
};

// Operands come before what uses them, equal subterms are one node, the last node is the statement.
struct Syntax {
  std::vector<SyntaxNode> nodes;
  std::vector<std::string> symbols;  // in order of appearance
};

int OperandCount(Op op);

// Errors name the column, counted from 1.
absl::StatusOr<Syntax> ParseSyntax(std::string_view text);
// What a comparison compares; nothing if `syntax` is none.
std::optional<std::pair<Syntax, Syntax>> SidesOf(const Syntax& syntax);
// In normal form; unknown names become symbols with default facts.
Expr Build(Context& context, const Syntax& syntax);
// One operation; operands that it does not have are ignored.
Expr Build(Op op, const Expr& a, const Expr& b = 0, const Expr& c = 0);
// How `e` was computed from symbols and numbers, operation by operation, before any rule of the
// normal form; where that is not known (what Renormalize, Substitute and View yield), a computation
// of its normal form. Its value is that of `e` for every assignment that satisfies the facts of the
// moments at which its parts were built.
Syntax DerivationOf(const Expr& e);
// Where the computation of `e` is long and one of its normal form is short: `e` gets the short one,
// and the result is the proposition, true by the rules of the normal form, that both are equal. So
// what is computed from `e` does not repeat how it came about.
std::optional<Expr> Shorten(Expr& e);
// Reads back as the same Syntax; what is used more than once is named first: `t1 = mod(H, 8); t1 +
// 2*t1 == 0`.
std::string ToText(const Syntax& syntax);
// Node by node, in checked int64. `&&`, `||` and ite do not evaluate what they do not need. Errors
// as of Evaluate.
absl::StatusOr<int64_t> EvaluateSyntax(const Syntax& syntax, const Assignment& assignment);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_SYNTAX_H_

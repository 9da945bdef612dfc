// The language of a certificate's statements and facts:
//
//   statement := { name "=" expr ";" } expr
//   expr      := integers, names, `names in backticks`, parentheses and, from loose to tight,
//                  ||    &&    == != < <= > >= (these do not chain)    + -    *    unary - and !
//                and the calls floordiv(a, b) ceildiv(a, b) mod(a, b) truncdiv(a, b) abs(a)
//                min(a, b, ...) max(a, b, ...) ite(c, a, b)
//
// A name is a letter or `_`, then letters, digits, `_`, `.` or `'`. `name = expr;` names a term for
// what follows it; it must be new. The other names are symbols.
//
// Values are mathematical integers. A comparison is 0 or 1; where a proposition is wanted, any
// integer but 0 is true. floordiv rounds down, ceildiv up, truncdiv toward zero, and mod(a, b) is
// a - b*floordiv(a, b). They are defined for divisors >= 1 only.
//
// A statement holds for an assignment of its symbols iff each divisor that is evaluated is >= 1 and
// its value is not 0. Not evaluated are the branch that `ite` does not take, the right side of `&&`
// where the left is 0 and of `||` where it is not, and named terms that nothing evaluated uses.
#ifndef TESSERA_SOLVER_CERTIFICATE_STATEMENT_H_
#define TESSERA_SOLVER_CERTIFICATE_STATEMENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::certificate {

enum class Operator : uint8_t {
  kInteger,  // value
  kSymbol,   // symbols[value]
  kAdd,
  kSubtract,
  kMultiply,
  kNegate,
  kNot,
  kFloorDiv,
  kCeilDiv,
  kMod,
  kTruncDiv,
  kMin,
  kMax,
  kAbs,
  kIte,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
};

struct Term {
  Operator op = Operator::kInteger;
  std::array<uint32_t, 3> operands = {};  // indices of earlier terms; those that `op` takes count
  int64_t value = 0;
  friend bool operator==(const Term&, const Term&) = default;
};

// The number of operands that an operator takes; min and max of more are nested.
int Arity(Operator op);

// A DAG: equal terms are one.
struct Statement {
  std::vector<std::string> symbols;  // in order of their first use
  std::vector<std::string> names;    // of named terms
  std::vector<Term> terms;           // operands before what uses them
  uint32_t root = 0;
};

// The highest degree of the polynomials in it, quotients, remainders, extremes and choices counting
// as those of their operands.
int64_t Degree(const Statement& statement);

// Bounds of what ParseStatement takes, so that no text exhausts memory or stack.
inline constexpr size_t kMaxStatementBytes = size_t{1} << 20;
inline constexpr int kMaxNesting = 1000;  // of parentheses, calls and signs in the text

// A statement as messages show it: the start of a long one.
std::string Shown(std::string_view text);

// Terms with names, for several statements.
class Library {
 public:
  Library() = default;
  // Each definition is `name = expr`, of symbols and names before it. Errors name the definition
  // and the column.
  static absl::StatusOr<Library> Read(absl::Span<const std::string> definitions);

  const Statement& statement() const { return statement_; }  // has all of them, and no root
  // Its term, or null.
  const uint32_t* Find(std::string_view name) const;

 private:
  Statement statement_;
  absl::flat_hash_map<std::string, uint32_t> terms_;
};

// Errors name the column, counted from 1. What the statement uses of the library becomes part of
// it.
absl::StatusOr<Statement> ParseStatement(std::string_view text, const Library& library = {});

// Whether both are the same operations on the same names and integers. What stands in named terms
// of either may stand where it is used in the other.
bool Same(const Statement& a, const Statement& b);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_STATEMENT_H_

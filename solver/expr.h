// Symbolic integers: hash-consed expressions in normal form over the symbols of a Context.
//
// Values are mathematical integers. An expression is a polynomial with int64 coefficients over
// atoms: symbols, floor(p/d), min, if-then-else and propositions (0 or 1). mod(a, b) is kept as a -
// b*floor(a/b) and printed as mod. Equal normal forms are the same node, so `==` is a pointer
// comparison; it says that two expressions are equal wherever both are defined, and its falsehood
// says nothing (ask Decide in solver/decide.h). The rules of the normal form, each with its side
// condition, stand in solver/rules.h.
//
// A division is defined where its divisor is positive. Building one with a divisor that no fact
// makes positive is allowed and recorded in Context::unproved_divisors(): whoever relies on the
// result owes the proof that these are >= 1.
#ifndef TESSERA_SOLVER_EXPR_H_
#define TESSERA_SOLVER_EXPR_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::solver {

class Context;
namespace internal {
struct Node;
struct Term;
class Store;
}  // namespace internal

// Closed interval; the extreme int64 values stand for "unbounded".
struct Range {
  static constexpr int64_t kNegInf = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kPosInf = std::numeric_limits<int64_t>::max();
  int64_t lo = kNegInf;
  int64_t hi = kPosInf;
  bool Contains(int64_t v) const { return lo <= v && v <= hi; }
  friend bool operator==(const Range&, const Range&) = default;
};

// value mod stride == residue, 0 <= residue < stride; {1, 0} says nothing. stride == 0: the value
// is residue.
struct Congruence {
  int64_t stride = 1;
  int64_t residue = 0;
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

// Values of symbols, by name; ordered, so that what is printed from it does not depend on hashing.
using Assignment = std::map<std::string, int64_t, std::less<>>;

// A value handle of 24 bytes: an integer, or a pointer to an immutable node that its Context owns;
// and how it was computed from symbols, as the operations were called (DerivationOf in
// solver/syntax.h), which is no part of its identity.
// Operands of one operation belong to one Context (integers to any); mixing two yields Invalid.
class Expr {
 public:
  constexpr Expr() = default;  // 0
  template <std::integral T>
  constexpr Expr(T value)
      : value_(static_cast<int64_t>(value)) {
  }  // NOLINT: implicit, so that `x + 1` reads as it should

  // Poison: a coefficient left int64, an expression grew too deep, or a constant divisor was not
  // positive. It propagates and never wraps.
  static Expr Invalid();

  bool IsConstant() const { return node_ == nullptr; }
  std::optional<int64_t> Constant() const {
    return node_ == nullptr ? std::optional<int64_t>(value_) : std::nullopt;
  }
  // A number that was not computed from symbols, unlike the 1 of `H == H`.
  bool IsLiteral() const { return node_ == nullptr && term_ == nullptr; }
  bool IsInvalid() const;

  // Identity of normal forms, not a proposition (that is Eq).
  friend bool operator==(const Expr& a, const Expr& b) {
    return a.node_ == b.node_ && a.value_ == b.value_;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Expr& e) {
    return H::combine(std::move(h), e.node_, e.value_);
  }

  // E.g. `2*floor(H/2) + 1`; Parse reads it back. The same program prints the same text. Texts
  // beyond 1 MiB are cut and end in ` ...`.
  std::string ToString() const;

  // nullptr for integers.
  Context* context() const;
  // Identity of how it was computed; null: a number as such, or not known.
  const internal::Term* derivation() const { return term_; }

 private:
  friend class internal::Store;
  friend struct internal::Node;
  explicit constexpr Expr(const internal::Node* node) : node_(node) {}
  const internal::Node* node_ = nullptr;
  int64_t value_ = 0;                     // 0 where node_ is set
  const internal::Term* term_ = nullptr;  // null: a number as such, or not known
};

namespace internal {
Expr SlowAdd(const Expr& a, const Expr& b);
Expr SlowSub(const Expr& a, const Expr& b);
Expr SlowMul(const Expr& a, const Expr& b);
}  // namespace internal

inline Expr operator+(const Expr& a, const Expr& b) {
  int64_t r;
  if (a.IsLiteral() && b.IsLiteral() && !__builtin_add_overflow(*a.Constant(), *b.Constant(), &r)) {
    return r;
  }
  return internal::SlowAdd(a, b);
}
inline Expr operator-(const Expr& a, const Expr& b) {
  int64_t r;
  if (a.IsLiteral() && b.IsLiteral() && !__builtin_sub_overflow(*a.Constant(), *b.Constant(), &r)) {
    return r;
  }
  return internal::SlowSub(a, b);
}
inline Expr operator*(const Expr& a, const Expr& b) {
  int64_t r;
  if (a.IsLiteral() && b.IsLiteral() && !__builtin_mul_overflow(*a.Constant(), *b.Constant(), &r)) {
    return r;
  }
  return internal::SlowMul(a, b);
}
inline Expr operator-(const Expr& a) { return Expr(0) - a; }
inline Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
inline Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }
inline Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }

// floor(a/b), ceil(a/b), a - b*floor(a/b); b >= 1. A constant b <= 0 is Invalid.
Expr FloorDiv(const Expr& a, const Expr& b);
Expr CeilDiv(const Expr& a, const Expr& b);
Expr Mod(const Expr& a, const Expr& b);
// Rounds toward zero (ONNX integer Div), b >= 1; it is FloorDiv where a >= 0 follows from the
// facts.
Expr TruncDiv(const Expr& a, const Expr& b);
Expr Min(const Expr& a, const Expr& b);
Expr Max(const Expr& a, const Expr& b);
Expr Abs(const Expr& a);

// Propositions: 0 or 1. And, Or, Not and Ite take any integer for a truth value: not zero is true.
Expr Eq(const Expr& a, const Expr& b);
Expr Ne(const Expr& a, const Expr& b);
Expr Lt(const Expr& a, const Expr& b);
Expr Le(const Expr& a, const Expr& b);
Expr Gt(const Expr& a, const Expr& b);
Expr Ge(const Expr& a, const Expr& b);
Expr And(const Expr& a, const Expr& b);
Expr Or(const Expr& a, const Expr& b);
Expr Not(const Expr& a);
Expr Ite(const Expr& condition, const Expr& a,
         const Expr& b);  // the branch not taken is not evaluated

// The same with a derivation: that of its normal form where none is known.
Expr Derived(const Expr& e);

// Read-only structure of a normal form, for encoders and emitters. Shared subterms are equal Exprs:
// memoise by them.
enum class ExprKind : uint8_t {
  kInvalid,
  kConstant,  // constant()
  kSymbol,    // symbol()
  kSum,       // constant() + sum of coefficient(i)*child(i)
  kProduct,   // product of child(i); a square has the child twice
  kFloorDiv,  // floor(child(0)/child(1))
  kMin,       // least of all child(i)
  kIte,       // child(0) != 0 ? child(1) : child(2); child(0) is a proposition
  kEqZero,    // child(0) == 0
  kGeZero,    // child(0) >= 0
  kAnd,       // all child(i) != 0
};
class View {
 public:
  explicit View(const Expr& e);
  ExprKind kind() const { return kind_; }
  int64_t constant() const { return constant_; }
  std::string_view symbol() const;
  size_t size() const;  // number of children
  Expr child(size_t i) const;
  int64_t coefficient(size_t i) const;

 private:
  const internal::Node* node_ = nullptr;
  ExprKind kind_ = ExprKind::kInvalid;
  int64_t constant_ = 0;
};

// A symbol and all that the facts say of it alone.
struct SymbolInfo {
  std::string name;
  Range range{1, (int64_t{1} << 31) - 1};
  Congruence congruence;
  std::optional<Expr> value;  // facts determine it from other symbols or as a number
  std::string origin;         // where it was declared, e.g. "dim 2 of input `x`"
};

// A fact as it was given.
struct Fact {
  Expr predicate;  // in the normal form of the moment it was assumed
  std::string origin;
};

// Owns nodes, symbols and facts. Not thread-safe. Outlives its Exprs.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The symbol of that name; a new one has the range [1, 2^31-1], the range of a tensor's dim.
  // A name is a letter or `_`, then letters, digits, `_`, `.` or `'`; ToString quotes others in
  // backticks.
  Expr Symbol(std::string_view name);
  // A new symbol, or one declared alike before. Errors: the name is empty or has other facts, no
  // value satisfies range and congruence, stride < 1 or residue outside [0, stride).
  absl::StatusOr<Expr> Declare(std::string name, Range range, Congruence congruence,
                               std::string origin);
  const SymbolInfo* Find(std::string_view name) const;
  std::vector<const SymbolInfo*> symbols() const;  // in order of declaration

  // Adds a fact. It becomes a range, a congruence or a substitution of a symbol where it can, and
  // is kept as a hypothesis otherwise. Exprs built before stay valid, but are normal only with
  // respect to the facts of their time; Renormalize brings them up to date (Decide does so itself).
  // Error: the fact contradicts the facts so far. It is then remembered: facts() keeps it,
  // contradictory() is true, Decide proves nothing any more.
  absl::Status Assume(const Expr& predicate, std::string origin);
  absl::Span<const Fact> facts() const;
  absl::Span<const Expr> hypotheses() const;  // those facts that are kept as propositions
  bool contradictory() const;
  Expr Renormalize(const Expr& e);

  // Divisors used so far, without repetition, that are not shown to be >= 1 by ranges.
  std::vector<Expr> unproved_divisors() const;

  internal::Store& store() { return *store_; }
  const internal::Store& store() const { return *store_; }

 private:
  std::unique_ptr<internal::Store> store_;
};

// The value under an assignment. Errors: a symbol that is not bound, int64 overflow, a divisor that
// is not positive, a value that the symbol's congruence excludes, an invalid expression. Symbols
// that the facts determine need no value.
absl::StatusOr<int64_t> Evaluate(const Expr& e, const Assignment& assignment);
// Sound bounds over all assignments that satisfy the facts; congruence likewise.
Range RangeOf(const Expr& e);
Congruence CongruenceOf(const Expr& e);
// Names of the symbols that occur, in order of declaration.
std::vector<std::string> SymbolsOf(const Expr& e);
// e with the named symbols replaced, renormalised. Names that do not occur are ignored.
Expr Substitute(const Expr& e, const std::map<std::string, Expr, std::less<>>& values);
// Reads what ToString prints and the usual spellings: + - *,
// floordiv/floor(a/b)/ceildiv/mod/truncdiv/min/max/abs/ite(...), == != < <= > >=,
// && and, || or, ! not. Unknown names become symbols with default facts. Errors name the column.
absl::StatusOr<Expr> Parse(Context& context, std::string_view text);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_EXPR_H_

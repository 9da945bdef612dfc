// Symbolic dimension expressions in normal form. Integers are mathematical: what would overflow int64 becomes invalid, never wraps.
//
// Normal form: a polynomial with integer coefficients over atoms in a fixed order; atoms are symbols, floor quotients, minima, choices and 0/1-valued
// propositions. `a mod b` is a - b * floor(a / b), `max(a, b)` is a + b - min(a, b). Equal normal forms are the same object.
#ifndef TESSERA_SOLVER_EXPR_H_
#define TESSERA_SOLVER_EXPR_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::solver {

class Context;
struct Node;

struct Range {  // inclusive; the extremes of int64_t mean unbounded
  int64_t lo = 1;
  int64_t hi = (int64_t{1} << 31) - 1;
  friend bool operator==(const Range&, const Range&) = default;
};

struct Congruence {  // value = stride * k + residue, stride >= 1, 0 <= residue < stride
  int64_t stride = 1;
  int64_t residue = 0;
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

enum class NodeKind : uint8_t { kSymbol, kPolynomial, kFloorDiv, kMin, kIte, kEqualsZero, kNotNegative };

class Expr {
 public:
  Expr() = default;
  Expr(int64_t value) : value_(value) {}  // NOLINT: a number is an expression
  Expr(int value) : value_(value) {}      // NOLINT
  static Expr Invalid() {
    Expr e;
    e.invalid_ = true;
    return e;
  }
  explicit Expr(const Node* node) : node_(node) {}

  bool IsConstant() const { return node_ == nullptr && !invalid_; }
  std::optional<int64_t> Constant() const { return IsConstant() ? std::optional<int64_t>(value_) : std::nullopt; }
  // An overflow, or a division by what is not positive, happened on the way here.
  bool IsInvalid() const { return invalid_; }
  const Node* node() const { return node_; }  // null: a constant
  std::string ToString() const;

  // Identity of normal forms, not a proposition.
  friend bool operator==(const Expr& a, const Expr& b) { return a.node_ == b.node_ && a.value_ == b.value_ && a.invalid_ == b.invalid_; }
  template <typename H>
  friend H AbslHashValue(H h, const Expr& e) {
    return H::combine(std::move(h), e.node_, e.value_, e.invalid_);
  }

 private:
  const Node* node_ = nullptr;
  int64_t value_ = 0;
  bool invalid_ = false;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
inline Expr operator-(const Expr& a) { return Expr(0) - a; }
inline Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
inline Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }
inline Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }

// Floor semantics. A constant divisor that is not positive makes the result invalid; that a symbolic one is positive is the caller's obligation.
Expr FloorDiv(const Expr& a, const Expr& b);
Expr CeilDiv(const Expr& a, const Expr& b);
Expr Mod(const Expr& a, const Expr& b);
Expr TruncDiv(const Expr& a, const Expr& b);
Expr Min(const Expr& a, const Expr& b);
Expr Max(const Expr& a, const Expr& b);
Expr Abs(const Expr& a);

// Propositions are expressions with the value 0 or 1.
Expr Eq(const Expr& a, const Expr& b);
Expr Ne(const Expr& a, const Expr& b);
Expr Lt(const Expr& a, const Expr& b);
Expr Le(const Expr& a, const Expr& b);
Expr Gt(const Expr& a, const Expr& b);
Expr Ge(const Expr& a, const Expr& b);
Expr And(const Expr& a, const Expr& b);
Expr Or(const Expr& a, const Expr& b);
Expr Not(const Expr& a);
Expr Ite(const Expr& condition, const Expr& a, const Expr& b);

struct SymbolInfo {
  std::string name;
  Range range;
  Congruence congruence;
  std::string origin;  // who says so
  std::optional<Expr> value;  // facts determine it from other symbols or as a number
  Expr expr;           // what stands for the symbol: stride * k + residue where a congruence is declared, the atom itself otherwise
};

// Owns nodes and symbols; outlives its expressions. Not thread-safe.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;

  // The symbol of that name; a new one is a dim: at least 1, below 2^31.
  Expr Symbol(absl::string_view name);
  // Error: redeclared with other facts, an empty range, a malformed congruence.
  absl::StatusOr<Expr> Declare(std::string name, Range range, Congruence congruence, std::string origin);
  const SymbolInfo* Find(absl::string_view name) const;
  std::vector<const SymbolInfo*> Symbols() const;  // in order of declaration
  std::vector<const SymbolInfo*> symbols() const { return Symbols(); }
  std::vector<Expr> hypotheses() const { return {}; }

  struct Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

using Assignment = std::map<std::string, int64_t, std::less<>>;

// Error: an unbound symbol, an overflow, a division by what is not positive.
absl::StatusOr<int64_t> Evaluate(const Expr& e, const Assignment& assignment);
// Sound over the declared facts.
Range RangeOf(const Expr& e);
// Names of the declared symbols in `e`, sorted.
std::vector<std::string> SymbolsOf(const Expr& e);

// Read-only access for printers, solvers and emitters.
struct View {
  NodeKind kind;
  std::string symbol;                                             // kSymbol
  std::vector<std::pair<int64_t, std::vector<Expr>>> terms;       // kPolynomial: coefficient and the atoms multiplied
  int64_t constant = 0;                                           // kPolynomial
  std::vector<Expr> children;                                     // kFloorDiv: numerator, divisor; kMin: two; kIte: three; propositions: one
};
View ViewOf(const Expr& e);  // of an expression that is not constant

// The inverse of ToString; also `floordiv(a, b) mod(a, b) min max ite`, comparisons, `&& || !`.
absl::StatusOr<Expr> Parse(Context& context, absl::string_view text);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_EXPR_H_

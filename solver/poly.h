// Polynomials under construction: sorted sums of monomials with checked int64 coefficients.
// Internal to this package.
#ifndef TESSERA_SOLVER_POLY_H_
#define TESSERA_SOLVER_POLY_H_

#include <cstdint>

#include "absl/types/span.h"
#include "solver/slots.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Reads an Expr as a polynomial, without a copy. Not for invalid ones.
class PolyView {
 public:
  explicit PolyView(const Expr& e);
  PolyView(const PolyView&) = delete;
  PolyView& operator=(const PolyView&) = delete;
  absl::Span<const Slot> terms;  // (monomial, coefficient != 0), in order
  int64_t constant = 0;

 private:
  Slot one_{};
};

struct Poly {
  Slots terms;
  int64_t constant = 0;
  bool ok = true;  // false: a coefficient left int64, or there are too many terms; the rest is then
                   // meaningless

  Poly() = default;
  explicit Poly(int64_t c) : constant(c) {}
  explicit Poly(const PolyView& view) : terms(view.terms), constant(view.constant) {}
  explicit Poly(const Expr& e) : Poly(PolyView(e)) {}

  bool IsConstant() const { return terms.empty(); }
  bool IsZero() const { return terms.empty() && constant == 0; }

  void AddConstant(int64_t c);
  void AddTerm(const Node* monomial, int64_t coefficient);
  void AddScaled(absl::Span<const Slot> other, int64_t other_constant, int64_t factor);
  void AddScaled(const Poly& other, int64_t factor);
  void AddScaled(const PolyView& other, int64_t factor);
  void Scale(int64_t factor);
  void Negate() { Scale(-1); }
};

// The polynomial as a normal form; Invalid where !poly.ok.
Expr Finish(Store& store, const Poly& poly);

Poly Multiply(Store& store, const Poly& a, const Poly& b);

// Factors of a monomial, with repetitions, in order.
absl::Span<const Slot> FactorsOf(const Node* const& monomial, Slot& scratch);
const Node* MultiplyMonomials(Store& store, const Node* a, const Node* b);
// a/b where b's factors are among a's. `quotient` null: it is 1.
struct MonomialQuotient {
  bool divides = false;
  const Node* quotient = nullptr;
};
MonomialQuotient DivideMonomials(Store& store, const Node* a, const Node* b);
bool Contains(const Node* monomial, const Node* atom);

// a = quotient*b + remainder in the graded lexicographic order of monomials, coefficients of the
// remainder reduced symmetrically by b's leading one. False: too long, nothing is set.
bool DivideWithRemainder(Store& store, const Poly& a, const Poly& b, Poly& quotient,
                         Poly& remainder);

// poly = coefficient*atom + rest where `atom` occurs at most linearly; false: it occurs in a higher
// power.
bool SplitLinear(Store& store, const Poly& poly, const Node* atom, Poly& coefficient, Poly& rest);

// Greatest common divisor of the coefficients, without the constant; 0 for constants.
int64_t Content(const Poly& poly);

// Floor semantics; divisor > 0.
inline int64_t FloorQuotient(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
inline int64_t FloorRemainder(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }
// a - b*SymmetricQuotient(a, b) is in (-b/2, b/2]
inline int64_t SymmetricQuotient(int64_t a, int64_t b) {
  const int64_t q = FloorQuotient(a, b);
  const int64_t r = a - q * b;
  return r > b - r ? q + 1 : q;
}

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_POLY_H_

// The rules of the normal form. c, g, k are integers; a divisor is >= 1 wherever the expression is
// defined; R(e) is a range that follows from the facts. Each rule holds for all integers that
// satisfy its side condition; rules_test.cc checks each against evaluation.
//
// clang-format off
// Division by a constant c >= 1:
//   R1   floor((c*q + r)/c) = q + floor(r/c), coefficient by coefficient; those of r in (-c/2, c/2],
//        its constant in [0, c)
//   R2   floor((g*p + k)/(g*c)) = floor((p + floor(k/g))/c)                    g >= 1
//   R4   floor((floor(p/a) + s)/c) = floor((p + a*s)/(a*c))
//        floor((s - floor(p/a))/c) = floor((a*s + a - 1 - p)/(a*c))
//   R5   floor(-p/c) = -floor((p + c - 1)/c), so that the first coefficient other than c/2 is
//        positive
//   R6   floor(p/c) = k                                       c*k <= R(p) <= c*k + c - 1
//   R8   floor((g*p + r)/(g*c)) = floor(p/c)                  g >= 1, R(r) within [0, g - 1]
//   R10  floor((p + h)/(2*h)) = floor(p/h) - floor(p/(2*h)); only in the second pass of a decision:
//        applied at once it hides chains from R4; h a number or a polynomial
// Division by a polynomial d; A is a number that divides d, or a factor:
//   R3   floor((d*q + r)/d) = q + floor(r/d), by polynomial division with remainder
//   R4   as above, with a and c polynomials
//   R5'  floor(-p/d) = -1 - floor((p - 1)/d); the sign of d itself is never touched, since d >= 1
//        is what defines the division
//   R6'  floor(p/d) = 0 for R(p) within [0, d - 1], -1 within [-d, -1]
//   R7   floor(A*p/(A*d)) = floor(p/d)                                         R(A) >= 1
//   R8'  floor((A*p + r)/(A*d)) = floor(p/d)                  R(A) >= 1, R(r) within [0, A - 1]
//        floor((A*p + r)/(A*d)) = floor((p - 1)/d)            R(A) >= 1, R(r) within [-A, -1]
// Choices:
//   R9   min(a, b) = b + min(a - b, 0), max(a, b) = a - min(a - b, 0); min over several elements is
//        taken relative to the least in an order that does not change when the same polynomial is
//        added to all; elements that are never less than another are dropped;
//        g*min(p, q) = min(g*p, g*q)                                           g >= 1
//   R11  ite(c, a, b): what both branches have in common stands before it; constants become
//        c*(a - b) + b; ite(d >= 0, d, 0) = max(d, 0)
//   R13  ite(p == 0, q*p + s, b) = ite(p == 0, s, b), by polynomial division of a - b by p; and
//        ite(mod(N, d) == k, b + d*q, b) = b + d*q*(1 + floor((N - k)/d) - floor((N - k + d - 1)/d))
//                                                                              R(d) >= k + 1, k >= 0
//   R12  p*p = p for propositions; p == 0 and p >= 0 are divided by content and by positive common
//        factors; the sign of the first coefficient is positive: (-p >= 0) = 1 - (p - 1 >= 0)
// clang-format on
#ifndef TESSERA_SOLVER_RULES_H_
#define TESSERA_SOLVER_RULES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "solver/poly.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Operands must be valid.
Expr Floor(Store& store, const Poly& numerator, const Poly& divisor);
Expr FloorByConstant(Store& store, const Poly& numerator, int64_t divisor);
Expr Minimum(Store& store, const Expr& a, const Expr& b);
Expr Maximum(Store& store, const Expr& a, const Expr& b);
Expr IfThenElse(Store& store, const Expr& condition, const Expr& a, const Expr& b);
Expr IsZero(Store& store, const Poly& poly);
Expr IsNonNegative(Store& store, const Poly& poly);
Expr Conjunction(Store& store, const Expr& a, const Expr& b);

// Whether the value is 0 or 1 by its form.
bool IsProposition(const Expr& e);
Expr ToProposition(const Expr& e);

// e built anew, bottom up, by the rules and facts of now. `leaf` says what stands for a symbol or
// quotient; what contains none of `symbols` (bits as of Node::symbols) stays as it is; `atom`,
// where it is not null, becomes `value`.
struct Replacement {
  absl::FunctionRef<Expr(const Node*)> leaf;
  uint64_t symbols = ~uint64_t{0};
  const Node* atom = nullptr;
  Expr value = {};
};
Expr Rebuild(const Expr& e, const Replacement& replacement);
// Leaves as the facts have them now.
Expr CurrentLeaf(const Node* node);
Expr SameLeaf(const Node* node);

// Visits every node once, children first.
void ForEachNode(const Expr& e, absl::FunctionRef<void(const Node*)> visit);
bool Occurs(const Expr& e, int64_t symbol);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_RULES_H_

// What chooses among fractions, compares them or makes them whole: nothing is rounded here.
#include <algorithm>
#include <utility>

#include "codegen/support/fraction.h"

namespace tessera::kernels {
namespace {

bool Real(const Fraction& a, const Fraction& b) { return a.bits != 0 || b.bits != 0; }

bool Follows(const Fraction& a) { return !a.steps.empty(); }

// A quotient times its divisor, of which the nearest integer alone is known.
bool IsRestored(const Fraction& a) { return a.rounded && a.den == Expr(1); }

// f over numerators of one denominator. Right for any f that chooses one of its arguments: rounding
// keeps their order.
template <class F>
Fraction Chosen(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  // Over another denominator a restored product would say more than is known of it.
  if ((IsRestored(a) || IsRestored(b)) && a.den != b.den) return Fraction::Invalid();
  Fraction result;
  result.bits = std::max(a.bits, b.bits);
  result.rounded = a.rounded || b.rounded;
  result.needs = solver::And(a.needs, b.needs);
  const bool same = a.den == b.den;
  result.den = same ? a.den : a.den * b.den;
  result.num = same ? f(a.num, b.num) : f(a.num * b.den, b.num * a.den);
  return result;
}

// f(p, q) with a == p/q and a whole number as the result.
template <class F>
Fraction Whole(const Fraction& a, F f) {
  Fraction result = a;
  if (a.den == Expr(1)) return IsRestored(a) ? Fraction::Invalid() : result;
  result.num = f(a.num, a.den);
  result.den = 1;
  result.rounded = false;
  return result;
}

// Both sides over one denominator. Comparing what has been rounded, or what is not known to be the
// float, says nothing.
template <class F>
Expr Compare(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Expr::Invalid();
  if (!Real(a, b)) return f(a.num, b.num);
  if (a.rounded || b.rounded || a.needs != Expr(1) || b.needs != Expr(1)) return Expr::Invalid();
  return f(a.num * b.den, b.num * a.den);
}

// f on integers, and on floats that are integers.
template <class F>
Fraction OfIntegers(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  if (a.den != Expr(1) || b.den != Expr(1) || IsRestored(a) || IsRestored(b))
    return Fraction::Invalid();
  Fraction result(f(a.num, b.num));
  result.bits = std::max(a.bits, b.bits);
  result.needs = solver::And(a.needs, b.needs);
  return result;
}

}  // namespace

Fraction Fmod(const Fraction& a, const Fraction& b) {
  return OfIntegers(a, b, [](const Expr& x, const Expr& y) { return Fmod(x, y); });
}

Fraction PyMod(const Fraction& a, const Fraction& b) {
  return OfIntegers(a, b, [](const Expr& x, const Expr& y) { return PyMod(x, y); });
}

Fraction Neg(const Fraction& a) {
  Fraction result = a;
  result.num = -a.num;
  for (Expr& step : result.steps) step = -step;
  return result;
}

Fraction Abs(const Fraction& a) {
  if (Follows(a)) return Fraction::Invalid();
  Fraction result = a;
  result.num = solver::Abs(a.num);
  return result;
}

Fraction Sign(const Fraction& a) {
  if (Follows(a) || IsRestored(a)) return Fraction::Invalid();
  Fraction result = a;
  result.num = Sign(a.num);
  result.den = 1;
  result.rounded = false;
  return result;
}

Fraction Floor(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::FloorDiv(p, q); });
}

Fraction Ceil(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::CeilDiv(p, q); });
}

Fraction Trunc(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::TruncDiv(p, q); });
}

Fraction Round(const Fraction& a) {
  if (IsRestored(a)) {
    Fraction result = a;
    result.rounded = false;
    return result;
  }
  if (a.rounded) return Fraction::Invalid();  // halves would have to keep their distance as well
  return Whole(a, [](const Expr& p, const Expr& q) {
    const Expr up = solver::FloorDiv(2 * p + q, 2 * q);
    const Expr tie = solver::Eq(solver::Mod(2 * p + q, 2 * q), Expr(0));
    return up - solver::Ite(tie, solver::Mod(up, Expr(2)), Expr(0));
  });
}

Fraction Min(const Fraction& a, const Fraction& b) {
  return Chosen(a, b, [](const Expr& x, const Expr& y) { return solver::Min(x, y); });
}

Fraction Max(const Fraction& a, const Fraction& b) {
  return Chosen(a, b, [](const Expr& x, const Expr& y) { return solver::Max(x, y); });
}

Fraction Xor(const Fraction& a, const Fraction& b) { return Fraction(Ne(a, b)); }

Fraction Select(const Expr& c, const Fraction& a, const Fraction& b) {
  if (const auto known = c.Constant()) return *known != 0 ? a : b;
  return Chosen(a, b, [&](const Expr& x, const Expr& y) { return solver::Ite(c, x, y); });
}

Expr Eq(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Eq(x, y); });
}

Expr Lt(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Lt(x, y); });
}

Expr Le(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Le(x, y); });
}

}  // namespace tessera::kernels

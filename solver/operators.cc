#include <algorithm>

#include "solver/bounds.h"
#include "solver/expr.h"
#include "solver/poly.h"
#include "solver/rules.h"
#include "solver/store.h"

namespace tessera::solver {

using internal::Bare;
using internal::CommonStore;
using internal::Finish;
using internal::Poly;
using internal::PolyView;
using internal::Recorded;
using internal::Store;

Expr Expr::Invalid() { return Expr(Store::InvalidNode()); }
bool Expr::IsInvalid() const { return internal::IsInvalid(*this); }

namespace internal {
namespace {

bool AnyInvalid(const Expr& a, const Expr& b) { return IsInvalid(a) || IsInvalid(b); }

// A sum too long for one node: its operands stay whole.
Expr AddWhole(Store& store, const Expr& a, const Expr& b, int64_t factor) {
  Poly sum;
  if (a.IsConstant() || b.IsConstant()) return Expr::Invalid();
  sum.AddTerm(Store::NodeOf(a), 1);
  sum.AddTerm(Store::NodeOf(b), factor);
  return Finish(store, sum);
}

Expr Combine(const Expr& a, const Expr& b, int64_t factor) {
  if (AnyInvalid(a, b)) return Expr::Invalid();
  if (a.IsConstant() && b.IsConstant()) {
    Poly sum(*a.Constant());
    sum.AddScaled({}, *b.Constant(), factor);
    return sum.ok ? Expr(sum.constant) : Expr::Invalid();
  }
  Store* store = CommonStore(a, b);
  if (store == nullptr) return Expr::Invalid();
  const PolyView x(a);
  const PolyView y(b);
  Poly sum(x);
  sum.AddScaled(y, factor);
  // Of two long sums the difference may be short.
  if (sum.terms.size() > kMaxTerms) return AddWhole(*store, a, b, factor);
  return Finish(*store, sum);
}

Expr Product(const Expr& a, const Expr& b) {
  if (AnyInvalid(a, b)) return Expr::Invalid();
  if (a.IsConstant() && b.IsConstant()) {
    Poly product(*a.Constant());
    product.Scale(*b.Constant());
    return product.ok ? Expr(product.constant) : Expr::Invalid();
  }
  Store* store = CommonStore(a, b);
  if (store == nullptr) return Expr::Invalid();
  return Finish(*store, Multiply(*store, Poly(a), Poly(b)));
}

}  // namespace

Expr SlowAdd(const Expr& a, const Expr& b) { return Recorded(Combine(a, b, 1), Op::kAdd, a, b); }
Expr SlowSub(const Expr& a, const Expr& b) {
  return Recorded(Combine(a, b, -1), Op::kSubtract, a, b);
}
Expr SlowMul(const Expr& a, const Expr& b) { return Recorded(Product(a, b), Op::kMultiply, a, b); }

}  // namespace internal

namespace {

Expr FloorQuotient(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (const auto c = b.Constant()) {
    if (*c <= 0) return Expr::Invalid();
    if (const auto n = a.Constant()) return internal::FloorQuotient(*n, *c);
  }
  Store* store = CommonStore(a, b);
  if (store == nullptr) return Expr::Invalid();
  if (!b.IsConstant() && RangeOf(b).lo < 1 && store->divisor_set.insert(Bare(b)).second)
    store->divisors.push_back(Bare(b));
  return internal::Floor(*store, Poly(a), Poly(b));
}

Expr Remainder(const Expr& a, const Expr& b) {
  const auto n = a.Constant();
  const auto c = b.Constant();
  if (n && c && *c > 0) return internal::FloorRemainder(*n, *c);
  return a - b * FloorQuotient(a, b);
}

Expr TruncatedQuotient(const Expr& a, const Expr& b) {
  const Range range = RangeOf(a);
  if (range.lo >= 0) return FloorDiv(a, b);
  if (range.hi <= 0) return -FloorDiv(-a, b);
  return Ite(Ge(a, 0), FloorDiv(a, b), -FloorDiv(-a, b));
}

// Whether a >= b + gap by their ranges, gap 0 or 1, one of them a number; also where a - b leaves
// 64 bits: kernels take the lowest integer for "none yet".
bool IsNeverLess(const Expr& a, const Expr& b, int64_t gap = 0) {
  if (!a.IsConstant() && !b.IsConstant()) return false;
  const int64_t low = RangeOf(a).lo;
  const int64_t high = RangeOf(b).hi;
  if ((low == Range::kNegInf && !a.IsConstant()) || (high == Range::kPosInf && !b.IsConstant()))
    return false;
  return gap == 0 ? low >= high : low > high;
}

Expr Least(const Expr& a, const Expr& b) {
  const auto x = a.Constant();
  const auto y = b.Constant();
  if (x && y) return std::min(*x, *y);
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (IsNeverLess(b, a)) return a;
  if (IsNeverLess(a, b)) return b;
  Store* store = CommonStore(a, b);
  return store == nullptr ? Expr::Invalid() : internal::Minimum(*store, a, b);
}

Expr Greatest(const Expr& a, const Expr& b) {
  const auto x = a.Constant();
  const auto y = b.Constant();
  if (x && y) return std::max(*x, *y);
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (IsNeverLess(a, b)) return a;
  if (IsNeverLess(b, a)) return b;
  Store* store = CommonStore(a, b);
  return store == nullptr ? Expr::Invalid() : internal::Maximum(*store, a, b);
}

Expr IsEqual(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (a == b) return 1;
  if (a.IsConstant() && b.IsConstant()) return 0;
  const Expr d = a - b;
  if (const auto c = d.Constant()) return *c == 0;
  const Expr zero = d.IsInvalid() ? d : internal::IsZero(*CommonStore(a, b), Poly(d));
  if (zero.IsInvalid() && (IsNeverLess(a, b, 1) || IsNeverLess(b, a, 1))) return 0;
  return zero;
}

Expr IsGreaterOrEqual(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  const auto x = a.Constant();
  const auto y = b.Constant();
  if (x && y) return *x >= *y;
  const Expr d = a - b;
  if (const auto c = d.Constant()) return *c >= 0;
  const Expr order = d.IsInvalid() ? d : internal::IsNonNegative(*CommonStore(a, b), Poly(d));
  if (order.IsInvalid() && IsNeverLess(a, b)) return 1;
  if (order.IsInvalid() && IsNeverLess(b, a, 1)) return 0;
  return order;
}

Expr Negation(const Expr& a) { return Expr(1) - internal::ToProposition(a); }

Expr Both(const Expr& a, const Expr& b) {
  const Expr x = internal::ToProposition(a);
  const Expr y = internal::ToProposition(b);
  if (x.IsInvalid() || y.IsInvalid()) return Expr::Invalid();
  if (x.IsConstant()) return *x.Constant() == 0 ? Expr(0) : y;
  if (y.IsConstant()) return *y.Constant() == 0 ? Expr(0) : x;
  Store* store = CommonStore(x, y);
  return store == nullptr ? Expr::Invalid() : internal::Conjunction(*store, x, y);
}

Expr Choice(const Expr& condition, const Expr& a, const Expr& b) {
  const Expr c = internal::ToProposition(condition);
  if (const auto known = c.Constant()) return *known != 0 ? a : b;
  if (c.IsInvalid() || a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  Store* store = CommonStore(c, a);
  if (store == nullptr || (!b.IsConstant() && CommonStore(c, b) == nullptr)) return Expr::Invalid();
  return internal::IfThenElse(*store, c, a, b);
}

}  // namespace

// What one operation is composed of is not recorded, only itself.
Expr FloorDiv(const Expr& a, const Expr& b) {
  return Recorded(FloorQuotient(a, b), Op::kFloorDiv, a, b);
}
Expr CeilDiv(const Expr& a, const Expr& b) {
  return Recorded(-FloorQuotient(-Bare(a), b), Op::kCeilDiv, a, b);
}
Expr Mod(const Expr& a, const Expr& b) {
  return Recorded(Remainder(Bare(a), Bare(b)), Op::kMod, a, b);
}
Expr TruncDiv(const Expr& a, const Expr& b) {
  return Recorded(TruncatedQuotient(Bare(a), Bare(b)), Op::kTruncDiv, a, b);
}
Expr Min(const Expr& a, const Expr& b) { return Recorded(Least(Bare(a), Bare(b)), Op::kMin, a, b); }
Expr Max(const Expr& a, const Expr& b) {
  return Recorded(Greatest(Bare(a), Bare(b)), Op::kMax, a, b);
}
Expr Abs(const Expr& a) { return Recorded(Greatest(Bare(a), -Bare(a)), Op::kAbs, a); }

Expr Eq(const Expr& a, const Expr& b) { return Recorded(IsEqual(Bare(a), Bare(b)), Op::kEq, a, b); }
Expr Ne(const Expr& a, const Expr& b) {
  return Recorded(Expr(1) - IsEqual(Bare(a), Bare(b)), Op::kNe, a, b);
}
Expr Ge(const Expr& a, const Expr& b) {
  return Recorded(IsGreaterOrEqual(Bare(a), Bare(b)), Op::kGe, a, b);
}
Expr Le(const Expr& a, const Expr& b) {
  return Recorded(IsGreaterOrEqual(Bare(b), Bare(a)), Op::kLe, a, b);
}
Expr Lt(const Expr& a, const Expr& b) {
  return Recorded(Expr(1) - IsGreaterOrEqual(Bare(a), Bare(b)), Op::kLt, a, b);
}
Expr Gt(const Expr& a, const Expr& b) {
  return Recorded(Expr(1) - IsGreaterOrEqual(Bare(b), Bare(a)), Op::kGt, a, b);
}

Expr Not(const Expr& a) { return Recorded(Negation(Bare(a)), Op::kNot, a); }
Expr And(const Expr& a, const Expr& b) { return Recorded(Both(Bare(a), Bare(b)), Op::kAnd, a, b); }
Expr Or(const Expr& a, const Expr& b) {
  return Recorded(Negation(Both(Negation(Bare(a)), Negation(Bare(b)))), Op::kOr, a, b);
}

Expr Ite(const Expr& condition, const Expr& a, const Expr& b) {
  if (condition.IsLiteral()) return *condition.Constant() != 0 ? a : b;
  return Recorded(Choice(Bare(condition), Bare(a), Bare(b)), Op::kIte, condition, a, b);
}

}  // namespace tessera::solver

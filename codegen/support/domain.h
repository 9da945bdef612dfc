// The primitives that generated shape code uses, in the domain int64_t; the domain solver::Expr has
// the same names, found by argument. Each tricky one is defined once per domain. Division is floor
// division; a divisor that is not positive yields 0 here, where the checker has already refused it.
#ifndef TESSERA_CODEGEN_SUPPORT_DOMAIN_H_
#define TESSERA_CODEGEN_SUPPORT_DOMAIN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "ir/op_info.h"
#include "solver/expr.h"

namespace tessera::ops {

using solver::Expr;

inline int64_t Mod(int64_t a, int64_t b) {
  if (b <= 0) return 0;
  const int64_t r = a % b;
  return r < 0 ? r + b : r;
}
inline int64_t FloorDiv(int64_t a, int64_t b) { return b <= 0 ? 0 : (a - Mod(a, b)) / b; }
inline int64_t CeilDiv(int64_t a, int64_t b) { return -FloorDiv(-a, b); }
inline int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t Max(int64_t a, int64_t b) { return a < b ? b : a; }
inline int64_t Abs(int64_t a) { return a < 0 ? -a : a; }
inline bool Eq(int64_t a, int64_t b) { return a == b; }
inline bool Ne(int64_t a, int64_t b) { return a != b; }
inline bool Lt(int64_t a, int64_t b) { return a < b; }
inline bool Le(int64_t a, int64_t b) { return a <= b; }
inline bool Gt(int64_t a, int64_t b) { return a > b; }
inline bool Ge(int64_t a, int64_t b) { return a >= b; }
inline bool And(bool a, bool b) { return a && b; }
inline bool Or(bool a, bool b) { return a || b; }
inline bool Not(bool a) { return !a; }
inline int64_t Ite(bool c, int64_t a, int64_t b) { return c ? a : b; }

// A proposition of the domain.
template <class D>
using Prop = std::conditional_t<std::is_same_v<D, int64_t>, bool, D>;
template <class D>
Prop<D> Truth(bool b) {
  return Prop<D>(b ? 1 : 0);
}

template <class D>
D FromExpr(const Expr& e) {
  if constexpr (std::is_same_v<D, int64_t>) {
    return e.Constant().value_or(0);
  } else {
    return e;
  }
}
template <class D>
std::vector<D> FromExprs(const std::vector<Expr>& list) {
  std::vector<D> result;
  result.reserve(list.size());
  for (const Expr& e : list) result.push_back(FromExpr<D>(e));
  return result;
}

inline std::vector<Expr> ToExprs(const std::vector<int64_t>& list) {
  return std::vector<Expr>(list.begin(), list.end());
}
inline std::vector<Expr> ToExprs(const std::vector<Expr>& list) { return list; }
std::string EnumText(int64_t ordinal, std::initializer_list<const char*> names);

// Reading past the end of a list yields 0: definitions check ranks first, and what is read after a
// failed check is not used.
template <class T>
T At(const std::vector<T>& list, int64_t i) {
  return i >= 0 && i < static_cast<int64_t>(list.size()) ? list[static_cast<size_t>(i)] : T{};
}
template <class T>
int64_t Len(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size());
}
inline bool ListContains(const std::vector<int64_t>& list, int64_t v) {
  for (int64_t x : list) {
    if (x == v) return true;
  }
  return false;
}
inline int64_t ListIndexOf(const std::vector<int64_t>& list, int64_t v) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == v) return static_cast<int64_t>(i);
  }
  return -1;
}

// floor(x * factor) for a factor of float precision: such a number is m / 2^e, so the product is
// exact.
template <class D>
D Scaled(const D& x, double factor) {
  int exponent = 0;
  const double mantissa = std::frexp(static_cast<double>(static_cast<float>(factor)), &exponent);
  int64_t m = static_cast<int64_t>(std::ldexp(mantissa, 24));
  int e = 24 - exponent;
  while (e > 0 && m % 2 == 0 && m != 0) {
    m /= 2;
    --e;
  }
  if (e <= 0) return x * D(m) * D(int64_t{1} << std::min(-e, 30));
  if (e > 60) return D(0);
  return FloorDiv(x * D(m), D(int64_t{1} << e));
}

inline std::string Text(int64_t v) { return absl::StrCat(v); }
inline std::string Text(double v) { return absl::StrCat(v); }
inline std::string Text(bool v) { return v ? "true" : "false"; }
inline std::string Text(const Expr& e) { return e.ToString(); }
inline std::string Text(const std::string& s) { return s; }
inline std::string Text(ir::DType d) { return std::string(ir::NameOf(d)); }
template <class T>
std::string Text(const std::vector<T>& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    absl::StrAppend(&text, i == 0 ? "" : ", ", Text(list[i]));
  return text + "]";
}

inline bool IsOne(int64_t v) { return v == 1; }
inline bool IsOne(const Expr& e) { return e.IsConstant() && *e.Constant() == 1; }
inline bool Same(int64_t a, int64_t b) { return a == b; }
// Computed alike; where two computations only come to the same, that is for the checker to note.
inline bool Same(const Expr& a, const Expr& b) {
  return a == b && a.derivation() == b.derivation();
}
inline bool IsNumber(int64_t) { return true; }
inline bool IsNumber(const Expr& e) { return e.IsConstant(); }

// `int(d)`: the number that a dim is; a symbolic one fails the constraint `static`.
inline int64_t HostOf(int64_t v, ir::Checker<int64_t>&) { return v; }
inline int64_t HostOf(const Expr& e, ir::Checker<Expr>& checker) {
  if (!e.IsConstant())
    checker.Require("static", false,
                    [&] { return absl::StrCat("`", Text(e), "` must be a number here"); });
  return e.Constant().value_or(0);
}

// The NumPy rule: aligned right, a dim of 1 repeats. Where a symbolic dim could be 1 or not, the
// obligation says which values are admissible, and the result is what each of them leads to.
template <class D>
std::vector<D> Broadcast(const std::vector<D>& a, const std::vector<D>& b,
                         ir::Checker<D>& checker) {
  const size_t rank = a.size() > b.size() ? a.size() : b.size();
  std::vector<D> result(rank, D(1));
  for (size_t d = 0; d < rank; ++d) {
    const bool in_a = d + a.size() >= rank;
    const bool in_b = d + b.size() >= rank;
    const D x = in_a ? a[d + a.size() - rank] : D(1);
    const D y = in_b ? b[d + b.size() - rank] : D(1);
    if (IsOne(x) || Same(x, y)) {
      result[d] = y;
    } else if (IsOne(y)) {
      result[d] = x;
    } else {
      const auto message = [&] {
        return absl::StrCat("shapes ", Text(a), " and ", Text(b), " do not broadcast: dims ",
                            Text(x), " and ", Text(y), " of axis ", d);
      };
      if (IsNumber(x) && !IsNumber(y)) {
        result[d] = x;
        checker.Require("broadcast", Or(Eq(x, y), Eq(y, D(1))), message);
      } else if (IsNumber(y) && !IsNumber(x)) {
        result[d] = y;
        checker.Require("broadcast", Or(Eq(x, y), Eq(x, D(1))), message);
      } else if (const Prop<D> equal = Eq(x, y); checker.Refutes(equal)) {
        result[d] = Ite(Eq(x, D(1)), y, x);
        checker.Require("broadcast", Or(equal, Or(Eq(x, D(1)), Eq(y, D(1)))), message);
      } else {
        result[d] = x;
        checker.Require("broadcast", equal, message);
      }
    }
  }
  return result;
}

}  // namespace tessera::ops

#endif  // TESSERA_CODEGEN_SUPPORT_DOMAIN_H_

// The symbolic element functions against those over int64_t, on all pairs of small numbers, with
// either argument a symbol or a constant, and for symbols of which more or less is known.
#include "codegen/support/scalar_expr.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "solver/expr.h"

namespace tessera::kernels {
namespace {

constexpr int64_t kLow = -7, kHigh = 7;

// f and g are the same function over Expr and over int64_t.
template <class F, class G>
void Agree(const char* name, F f, G g) {
  for (const auto& [lo_a, lo_b] : {std::pair(kLow, kLow), std::pair(int64_t{0}, int64_t{1}),
                                   std::pair(kLow, int64_t{1}), std::pair(int64_t{0}, kLow)}) {
    solver::Context context;
    const Expr a = *context.Declare("a", {lo_a, kHigh}, {}, ""),
               b = *context.Declare("b", {lo_b, kHigh}, {}, "");
    const Expr both = f(a, b);
    for (int64_t x = lo_a; x <= kHigh; ++x) {
      const Expr constant_a = f(Expr(x), b);
      for (int64_t y = lo_b; y <= kHigh; ++y) {
        const solver::Assignment assignment = {{"a", x}, {"b", y}};
        const int64_t expected = static_cast<int64_t>(g(x, y));
        for (const Expr& e : {both, constant_a, f(a, Expr(y)), f(Expr(x), Expr(y))}) {
          const absl::StatusOr<int64_t> value = solver::Evaluate(e, assignment);
          ASSERT_TRUE(value.ok()) << name << "(" << x << ", " << y << "): " << value.status()
                                  << " of " << e.ToString();
          ASSERT_EQ(*value, expected) << name << "(" << x << ", " << y << ") as " << e.ToString();
        }
      }
    }
  }
}

TEST(ScalarExpr, AgreesWithIntegers) {
#define AGREE(F)                                                \
  Agree(                                                        \
      #F, [](const Expr& a, const Expr& b) { return F(a, b); }, \
      [](int64_t a, int64_t b) { return F(a, b); })
  AGREE(Add);
  AGREE(Sub);
  AGREE(Mul);
  AGREE(Div);
  AGREE(Fmod);
  AGREE(PyMod);
  AGREE(Min);
  AGREE(Max);
  AGREE(Eq);
  AGREE(Ne);
  AGREE(Lt);
  AGREE(Le);
  AGREE(Gt);
  AGREE(Ge);
#undef AGREE
#define AGREE(F)                                           \
  Agree(                                                   \
      #F, [](const Expr& a, const Expr&) { return F(a); }, \
      [](int64_t a, int64_t) { return F(a); })
  AGREE(Abs);
  AGREE(Neg);
  AGREE(Sign);
  AGREE(Floor);
  AGREE(Trunc);
  AGREE(IsNan);
#undef AGREE
  Agree(
      "Select", [](const Expr& a, const Expr& b) { return Select(Lt(a, b), a, b); },
      [](int64_t a, int64_t b) { return Select(Lt(a, b), a, b); });
  Agree(
      "logic",
      [](const Expr& a, const Expr& b) {
        return Xor(And(Gt(a, Expr(0)), Gt(b, Expr(0))), Or(Not(Lt(a, b)), Eq(b, Expr(2))));
      },
      [](int64_t a, int64_t b) {
        return Xor(And(Gt(a, int64_t{0}), Gt(b, int64_t{0})), Or(Not(Lt(a, b)), Eq(b, int64_t{2})));
      });
}

TEST(ScalarExpr, LiteralsAreThoseOfIntegers) {
  EXPECT_EQ(Lit<Expr>(2.9), Expr(2));
  EXPECT_EQ(Lit<Expr>(int64_t{-3}), Expr(-3));
  EXPECT_EQ(Lit<Expr>(true), Expr(1));
  EXPECT_EQ(Cast<Expr>(int64_t{5}), Expr(5));
  EXPECT_EQ(Cast<Expr>(Expr(5)), Expr(5));
}

TEST(ScalarExpr, NonNegativeDivisionIsOneFloorDivision) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  EXPECT_EQ(Div(h, Expr(2)), solver::FloorDiv(h, Expr(2)));
  EXPECT_EQ(Fmod(h, Expr(2)), solver::Mod(h, Expr(2)));
  EXPECT_EQ(PyMod(h - Expr(5), Expr(2)), solver::Mod(h - Expr(5), Expr(2)));
}

}  // namespace
}  // namespace tessera::kernels

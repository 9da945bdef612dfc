#include "solver/data_sizes.h"

#include "gtest/gtest.h"
#include "solver/expr.h"

namespace tessera::solver {
namespace {

TEST(DataSizes, HoldsWhereDataCanBeSuch) {
  Context context;
  const Expr n = context.Symbol("N");
  const std::string origin = DataSizeOrigin("`NonZero_0`");
  const Expr kept = context.Declare("kept", {0, 2'147'483'647}, {}, origin).value();
  ASSERT_TRUE(context.Assume(Le(kept, n), origin).ok());
  const Expr chosen =
      context.Declare("chosen", {0, 2'147'483'647}, {}, DataSizeOrigin("`b`")).value();
  ASSERT_TRUE(context.Assume(Le(chosen, kept), DataSizeOrigin("`b`")).ok());
  const Expr few = context.Declare("few", {0, 3}, {}, DataSizeOrigin("`c`")).value();

  EXPECT_TRUE(HoldsForSomeData(context, Ge(kept, 1)));
  EXPECT_TRUE(HoldsForSomeData(context, Ge(chosen, 1)));
  EXPECT_TRUE(HoldsForSomeData(context, Eq(chosen, 0)));
  EXPECT_TRUE(HoldsForSomeData(context, Ge(few, 3)));
  // Not where N = 1, or for no data.
  EXPECT_FALSE(HoldsForSomeData(context, Ge(kept, 4)));
  EXPECT_FALSE(HoldsForSomeData(context, Ge(chosen, 4)));
  EXPECT_FALSE(HoldsForSomeData(context, Ge(few, 4)));
  EXPECT_FALSE(HoldsForSomeData(context, Ge(n, 4)));
  ASSERT_TRUE(context.Assume(Ge(n, 4), "").ok());
  EXPECT_TRUE(HoldsForSomeData(context, Ge(kept, 4)));
  EXPECT_TRUE(HoldsForSomeData(context, Ge(chosen, 4)));
}

TEST(DataSizes, AreWhatIsDeclaredSo) {
  Context context;
  context.Symbol("N");
  ASSERT_TRUE(context.Declare("kept", {0, 7}, {}, DataSizeOrigin("`a`")).ok());
  EXPECT_TRUE(IsDataSize(context, "kept"));
  EXPECT_FALSE(IsDataSize(context, "N"));
  EXPECT_FALSE(IsDataSize(context, "M"));
}

}  // namespace
}  // namespace tessera::solver

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/attribute.h"
#include "ir/location.h"
#include "ir/type.h"

namespace tessera::ir {
namespace {

TEST(LocationTest, MergeIsBounded) {
  Location chain = Location::Of("n0");
  for (int i = 1; i < 1000; ++i) {
    const Location next = Location::Of(absl::StrCat("n", i));
    const Location* both[] = {&chain, &next};
    chain = Location::Merge(both);
  }
  ASSERT_EQ(chain.scopes.size(), 65u);
  EXPECT_EQ(chain.scopes[63], "n63");
  EXPECT_EQ(chain.scopes[64], "...");
  // It stays at the end, once.
  const Location other = Location::Of("other"), short_chain{{"a", "..."}};
  const Location* all[] = {&short_chain, &other, &short_chain};
  EXPECT_EQ(Location::Merge(all).ToString(), "a + other + ...");
}

TEST(LocationTest, MergeKeepsFirstAppearances) {
  const Location a{{"net/a", "net/b"}}, b{{"net/b", "net/c"}}, none;
  const Location* all[] = {&a, &none, &b};
  EXPECT_EQ(Location::Merge(all).ToString(), "net/a + net/b + net/c");
  EXPECT_EQ(none.ToString(), "");
}

TEST(TypeTest, Text) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  const TensorType type{DType::kF32, {Expr(1), h, h + 2}};
  EXPECT_EQ(type.ToString(), "f32[1,H,H + 2]");
  EXPECT_FALSE(type.IsStatic());
  EXPECT_TRUE((TensorType{DType::kBool, {}}).IsStatic());
  EXPECT_EQ((TensorType{DType::kBool, {}}).ToString(), "bool[]");
}

TEST(AttributeTest, KindsAndText) {
  static constexpr std::string_view kModes[] = {"constant", "edge"};
  const AttrSpec mode{"mode", AttrKind::kEnum, kModes};
  EXPECT_EQ(ToString(Attribute(int64_t{1}), mode), "edge");
  EXPECT_EQ(ToString(Attribute(int64_t{9}), mode), "9");
  EXPECT_EQ(ToString(Attribute(int64_t{1}), {"b", AttrKind::kBool, {}}), "true");
  EXPECT_EQ(ToString(Attribute(0.1), {"f", AttrKind::kFloat, {}}), "0.1");
  EXPECT_EQ(ToString(Attribute(std::vector<double>{1, -1e-30}), {"f", AttrKind::kFloats, {}}),
            "[1,-1e-30]");
  EXPECT_EQ(ToString(Attribute(std::vector<int64_t>{3, -4}), {"i", AttrKind::kInts, {}}), "[3,-4]");
  EXPECT_TRUE(HoldsKind(Attribute(DType::kF16), AttrKind::kDType));
  EXPECT_FALSE(HoldsKind(Attribute(DType::kF16), AttrKind::kInt));
  EXPECT_FALSE(HoldsKind(Attribute(), AttrKind::kInt));
}

}  // namespace
}  // namespace tessera::ir

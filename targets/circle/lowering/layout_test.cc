#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "layout/permutation.h"
#include "layout/place.h"
#include "targets/circle/lowering/testing.h"

namespace tessera::circle {
namespace {

using ir::Expr;
using ir::Value;
using layout::Inverse;
using layout::IsIdentity;
using layout::KeepsOrder;
using layout::Permutation;
using layout::Permuted;
using layout::Then;

const std::vector<Expr> kNhwc = {0, 2, 3, 1};
const std::vector<Expr> kNchw = {0, 3, 1, 2};

// What a lowered 2-D operator is: channels last inside, channels first outside.
Value* Pooled(TestGraph& g, Value* x) {
  return g.Transposed(g.Op("MAX_POOL_2D", {g.Transposed(x, kNhwc)},
                           {{"stride_w", ir::Attribute(int64_t{1})},
                            {"stride_h", ir::Attribute(int64_t{1})},
                            {"filter_width", ir::Attribute(int64_t{3})},
                            {"filter_height", ir::Attribute(int64_t{3})}}),
                      kNchw);
}

void Place(TestGraph& g) {
  const absl::StatusOr<bool> placed = layout::PlaceTransposes(g.graph(), kDialect);
  ASSERT_TRUE(placed.ok()) << placed.status();
  const absl::Status status = ir::Verify(g.graph());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LayoutTest, ChainsKeepOnlyTheEnds) {
  TestGraph g;
  Value* x = g.Input("x", {g.Symbol("N"), 3, 8, 8});
  for (int i = 0; i < 4; ++i) x = g.Op("RELU", {Pooled(g, x)});
  g.Output("y", x);
  Place(g);
  // The last RELU costs the same on either side of the last transpose.
  EXPECT_EQ(g.Count("TRANSPOSE"), 2);
  EXPECT_EQ(g.Ops().front(), "TRANSPOSE");
  EXPECT_EQ(g.Ops()[8] == "TRANSPOSE" ? g.Ops()[9] : g.Ops()[8], "RELU");
}

TEST(LayoutTest, SkipConnectionsAndPerChannelFactors) {
  TestGraph g;
  Value* x = g.Input("x", {1, 4, g.Symbol("H"), g.Symbol("W")});
  Value* a = g.Op("RELU", {Pooled(g, x)});
  Value* b = Pooled(g, g.Op("ADD", {Pooled(g, a), a}));
  Value* scaled = g.Op("MUL", {b, g.Fill(2, {4, 1, 1})});
  Value* joined = g.Op("CONCATENATION", {scaled, a}, {{"axis", ir::Attribute(int64_t{1})}});
  g.Output("y", Pooled(g, joined));
  Place(g);
  // Of the factors there may be one more: they are a constant, whose transposition folds.
  EXPECT_GE(g.Count("TRANSPOSE"), 2);
  EXPECT_LE(g.Count("TRANSPOSE"), 2 + 1);
  for (const ir::Operation* op : g.graph().TopologicalOrder()) {
    if (op->info().name != "CONCATENATION") continue;
    EXPECT_EQ(std::get<int64_t>(op->attr(0)), 3);
  }
}

TEST(LayoutTest, SmallOperandsFollow) {
  TestGraph g;
  Value* x = g.Input("x", {1, 4, 8, 6});
  Value* a = Pooled(g, x);
  Value* pads = g.Op("RESHAPE", {g.List({0, 0, 1, 0, 2, 3, 4, 5}), g.List({4, 2})});
  Value* padded = g.Op("PAD", {a, pads});
  Value* cut = g.Op("SLICE", {padded, g.List({0, 1, 2, 3}), g.List({-1, 2, 3, 4})});
  g.Output("y", Pooled(g, cut));
  Place(g);
  EXPECT_EQ(g.Count("TRANSPOSE"), 2);
  for (const ir::Operation* op : g.graph().TopologicalOrder()) {
    if (op->info().name == "PAD") {
      EXPECT_EQ(*op->operand(1)->elements(), (std::vector<Expr>{0, 0, 2, 3, 4, 5, 1, 0}));
    }
    if (op->info().name == "SLICE") {
      EXPECT_EQ(*op->operand(1)->elements(), (std::vector<Expr>{0, 2, 3, 1}));
      EXPECT_EQ(*op->operand(2)->elements(), (std::vector<Expr>{-1, 3, 4, 2}));
    }
  }
}

// The mean over what becomes unit axes is where images become vectors: the transposition behind it
// moves nothing.
TEST(LayoutTest, ReductionsAndUnitAxes) {
  TestGraph g;
  Value* x = g.Input("x", {2, 4, 8, 6});
  Value* mean =
      g.Op("MEAN", {Pooled(g, x), g.List({2, -1})}, {{"keep_dims", ir::Attribute(int64_t{1})}});
  g.Output("y", g.Op("RESHAPE", {mean, g.List({2, 4})}));
  Place(g);
  EXPECT_EQ(g.Ops(),
            (std::vector<std::string>{"TRANSPOSE", "MAX_POOL_2D", "MEAN", "RESHAPE", "RESHAPE"}));
}

TEST(LayoutTest, AxesThatDisappear) {
  TestGraph g;
  Value* x = g.Input("x", {2, 4, 8, 6});
  g.Output("y", g.Op("ARG_MAX", {Pooled(g, x), g.List({1})}));
  Place(g);
  EXPECT_EQ(g.Ops(), (std::vector<std::string>{"TRANSPOSE", "MAX_POOL_2D", "ARG_MAX"}));
  EXPECT_EQ(*g.graph().outputs()[0]->producer()->operand(1)->elements(), (std::vector<Expr>{3}));
}

// Two large tensors that come as they are and one small one that is transposed: the small one
// moves.
TEST(LayoutTest, TheSmallerSideMoves) {
  TestGraph g;
  Value* x = g.Input("x", {1, 4, 64, 64});
  Value* y = g.Input("y", {1, 4, 64, 64});
  Value* z = g.Input("z", {1, 4, 1, 64});
  Value* sum = g.Op(
      "ADD", {g.Op("MUL", {x, y}), g.Transposed(g.Op("TANH", {g.Transposed(z, kNhwc)}), kNchw)});
  g.Output("y", g.Op("RELU", {sum}));
  Place(g);
  EXPECT_EQ(g.Ops(), (std::vector<std::string>{"MUL", "TANH", "ADD", "RELU"}));
}

TEST(LayoutTest, PermutationsCompose) {
  const Permutation p = {2, 0, 3, 1}, q = {1, 3, 0, 2};
  const std::vector<int64_t> dims = {10, 20, 30, 40};
  EXPECT_EQ(Permuted(Permuted(dims, p), q), Permuted(dims, Then(p, q)));
  EXPECT_TRUE(IsIdentity(Then(p, Inverse(p))));
  EXPECT_TRUE(KeepsOrder({0, 2, 3, 1}, {5, 1, 7, 8}));
  EXPECT_FALSE(KeepsOrder({0, 2, 3, 1}, {5, 2, 7, 8}));
}

}  // namespace
}  // namespace tessera::circle

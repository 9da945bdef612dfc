#include "targets/circle/lowering/compute_shapes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "targets/circle/lowering/testing.h"
#include "targets/reference/executor.h"

namespace tessera::circle {
namespace {

using ir::Expr;
using ir::Value;

// The dims of a fill, computed at run time from inputs of the given shapes.
std::vector<int64_t> Computed(TestGraph& g, const std::vector<std::vector<int64_t>>& shapes) {
  const absl::Status status = ComputeShapes(g.graph());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(ir::Verify(g.graph()).ok());
  for (const ir::Operation* op : g.graph().TopologicalOrder()) {
    EXPECT_NE(op->info().role, ir::Role::kSymbolicConstant);
  }
  auto executor = reference::Executor::Create(g.graph());
  EXPECT_TRUE(executor.ok()) << executor.status();
  std::vector<ir::Tensor> inputs;
  for (const auto& shape : shapes) inputs.push_back(*ir::Tensor::Allocate(ir::DType::kF32, shape));
  const auto results = executor->Run(inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? results->at(0).shape() : std::vector<int64_t>{};
}

Value* Filled(TestGraph& g, const std::vector<Expr>& dims) {
  return g.Op("FILL", {g.List(dims), g.Fill(1, {})});
}

TEST(ComputeShapesTest, EveryKindOfExpression) {
  const auto expect = [](auto dims_of, std::vector<int64_t> expected) {
    TestGraph g;
    const Expr h = g.Symbol("H"), w = g.Symbol("W");
    g.Input("x", {1, h, w});
    g.Output("y", Filled(g, dims_of(h, w)));
    EXPECT_EQ(Computed(g, {{1, 13, 6}}), expected);
  };
  using List = std::vector<Expr>;
  expect([](Expr h, Expr w) { return List{h + w * 3 - 2, 4, w * h}; }, {29, 4, 78});
  expect(
      [](Expr h, Expr w) {
        return List{solver::FloorDiv(h, 2), solver::CeilDiv(h, w), solver::Mod(h, w)};
      },
      {6, 3, 1});
  expect(
      [](Expr h, Expr w) {
        return List{solver::Min(h, w), solver::Max(h, w * 3), solver::Abs(w - h)};
      },
      {6, 18, 7});
  expect(
      [](Expr h, Expr w) {
        return List{solver::Ite(solver::Gt(h, w), h, w), solver::Ite(solver::Eq(h, w), 2, 5)};
      },
      {13, 5});
  expect(
      [](Expr h, Expr w) {
        return List{1 + solver::And(solver::Gt(h, 3), solver::Lt(w, 3)), 1 + solver::Ne(h, w)};
      },
      {1, 2});
}

TEST(ComputeShapesTest, LeavesOutOneSize) {
  const auto expect = [](auto dims_of, std::vector<int64_t> expected) {
    TestGraph g;
    const Expr h = g.Symbol("H");
    Value* const x = g.Input("x", {h, 6});
    g.Output("y", g.Op("RESHAPE", {x, g.List(dims_of(h))}));
    EXPECT_EQ(Computed(g, {{5, 6}}), expected);
  };
  using List = std::vector<Expr>;
  expect([](Expr h) { return List{h, 2, 3}; }, {5, 2, 3});
  expect([](Expr h) { return List{1, -1, h}; }, {1, 6, 5});
}

TEST(ComputeShapesTest, SharesWhatIsComputed) {
  TestGraph g;
  const Expr h = g.Symbol("H");
  g.Input("x", {h, 3});
  g.Output("y", Filled(g, {solver::FloorDiv(h, 2) + 1, 2}));
  g.Output("z", Filled(g, {solver::FloorDiv(h, 2) + 1, 5}));
  EXPECT_EQ(Computed(g, {{9, 3}}), (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(g.Count("SHAPE"), 1);
  EXPECT_EQ(g.Count("FLOOR_DIV"), 1);
}

TEST(ComputeShapesTest, SymbolsWithinDims) {
  TestGraph g;
  const auto declared = g.graph().context().Declare("H", {1, 4096}, {8, 0}, "test");
  ASSERT_TRUE(declared.ok()) << declared.status();
  g.Input("x", {*declared});
  g.Output("y", Filled(g, {solver::FloorDiv(*declared, 8) * 3}));
  EXPECT_EQ(Computed(g, {{40}}), (std::vector<int64_t>{15}));
}

TEST(ComputeShapesTest, ReshapesLeaveOneDimOut) {
  TestGraph g;
  const Expr n = g.Symbol("N");
  Value* x = g.Input("x", {n, 3, 4});
  g.Output("y", g.Op("RESHAPE", {x, g.List({n, 12})}));
  EXPECT_EQ(Computed(g, {{5, 3, 4}}), (std::vector<int64_t>{5, 12}));
  EXPECT_EQ(g.Ops(), std::vector<std::string>{"RESHAPE"});
}

TEST(ComputeShapesTest, SymbolsOfNoInput) {
  TestGraph g;
  g.Input("x", {3});
  g.Output("y", Filled(g, {g.Symbol("K")}));
  const absl::Status status = ComputeShapes(g.graph());
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_NE(std::string(status.message()).find("`K`"), std::string::npos) << status;
}

// 160 T is beyond i32 from T = 13421773 on, the quotient is not.
TEST(ComputeShapesTest, QuotientsOfWhatIsBeyondI32) {
  TestGraph g;
  const Expr t = g.Symbol("T");
  g.Input("x", {t});
  g.Output("y", Filled(g, {solver::FloorDiv(t * 160 + 17, 441), 1}));
  EXPECT_EQ(Computed(g, {{27000000}}), (std::vector<int64_t>{9795918, 1}));
}

TEST(ComputeShapesTest, WhatMayBeBeyondI32IsRefused) {
  const auto refusal = [](auto of) {
    TestGraph g;
    const Expr h = g.Symbol("H"), w = g.Symbol("W");
    Value* const x = g.Input("x", {h, 3, w});
    g.Output("z", g.Op("RESHAPE", {x, g.List({h * w, 3})}));
    g.Output("y", Filled(g, {of(h, w)}));
    return std::string(ComputeShapes(g.graph()).message());
  };
  EXPECT_EQ(refusal([](Expr h, Expr w) { return solver::FloorDiv(h * h * w * w, 3); }),
            "``: sizes are computed in i32, which may not hold `H*H*W*W` where tensors have up to "
            "2^28 elements; `--dim` can bound the sizes");
  // No more than x has elements.
  EXPECT_EQ(refusal([](Expr h, Expr w) { return solver::FloorDiv(h * w * 3 + w, 2); }), "");
  EXPECT_EQ(refusal([](Expr h, Expr w) { return h + w * 2; }), "");
  // An end that no axis reaches.
  EXPECT_EQ(refusal([](Expr h, Expr w) { return solver::Min(h * w, int64_t{1} << 40); }), "");
}

}  // namespace
}  // namespace tessera::circle

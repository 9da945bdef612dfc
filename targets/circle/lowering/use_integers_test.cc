// Integers of a type that a runtime makes none of stay out of its artifact.
#include "targets/circle/lowering/use_integers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "targets/circle/lowering/testing.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::ops {
const ir::Dialect& CircleIntegersOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

using ir::Value;

Value* Grid(TestGraph& g, Value* floats, double step, ir::DType dtype = ir::DType::kI16,
            int64_t zero_point = 0) {
  ir::Rewriter rewriter(g.graph());
  Value* const scale = g.Fill(step, {});
  Value* const zero =
      rewriter.CreateConstant(ir::Tensor::Of<int64_t>(dtype, {}, std::vector<int64_t>{zero_point}));
  return g.Op("DEQUANTIZED", {g.Op("QUANTIZED", {floats, scale, zero}), scale, zero});
}

// A sum of what is quantized, quantized.
void Build(TestGraph& g) {
  ir::Registry::Global().Add(ops::CircleIntegersOps());
  Value* const x = Grid(g, g.Input("x", {2, 3}), 0.5);
  g.Output("y", Grid(g, g.Op("ADD", {x, x}), 1));
}

bool HasIntegers(const ir::Graph& graph) {
  const std::vector<ir::Operation*> all = graph.TopologicalOrder();
  return std::any_of(all.begin(), all.end(), [](const ir::Operation* op) {
    const Value* const result = op->results().empty() ? nullptr : op->result();
    return result != nullptr && result->constant() == nullptr &&
           result->type().dtype == ir::DType::kI16;
  });
}

bool ComputesOnIntegers(std::optional<Places> places) {
  TestGraph g;
  Build(g);
  passes::PassContext context;
  IntegersReport report;
  const auto result =
      UseIntegers(g.graph(), context, &report, places.has_value() ? &*places : nullptr);
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(ir::Verify(g.graph()).ok());
  EXPECT_EQ(report.operators > 0, HasIntegers(g.graph()));
  EXPECT_EQ(g.Count("ROUNDED"), HasIntegers(g.graph()) ? 0 : 2);
  return HasIntegers(g.graph());
}

TEST(UseIntegersTest, SixteenBitsWhereTheRuntimeMakesThem) {
  EXPECT_TRUE(ComputesOnIntegers(std::nullopt));
  EXPECT_TRUE(ComputesOnIntegers(Places::ByDefault()));
  EXPECT_TRUE(ComputesOnIntegers(*Places::Of("litert")));
  EXPECT_FALSE(ComputesOnIntegers(*Places::Of("onert")));
  EXPECT_FALSE(ComputesOnIntegers(*Places::Of(kAnyRuntime)));
}

// How many operators over integers there are.
int IntegersOf(TestGraph& g) {
  passes::PassContext context;
  IntegersReport report;
  const auto result = UseIntegers(g.graph(), context, &report, nullptr);
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(ir::Verify(g.graph()).ok());
  return report.operators;
}

TEST(UseIntegersTest, SixteenBitsHaveTheZeroPointZero) {
  const auto of = [](int64_t zero_point) {
    TestGraph g;
    ir::Registry::Global().Add(ops::CircleIntegersOps());
    Value* const x = Grid(g, g.Input("x", {2, 3}), 0.5, ir::DType::kI16, zero_point);
    g.Output("y", Grid(g, g.Op("ADD", {x, x}), 1, ir::DType::kI16, zero_point));
    g.Output("z", g.Transposed(x, {1, 0}));
    const int integers = IntegersOf(g);
    EXPECT_EQ(HasIntegers(g.graph()), integers > 0);
    return integers;
  };
  EXPECT_GT(of(0), 0);
  EXPECT_EQ(of(3), 0);
}

// LiteRT narrows sums to 16 bits before it clamps them.
TEST(UseIntegersTest, ResultsInFarFinerStepsStayInFloats) {
  const auto of = [](double step) {
    TestGraph g;
    ir::Registry::Global().Add(ops::CircleIntegersOps());
    Value* const x = Grid(g, g.Input("x", {2, 3}), 0.5, ir::DType::kI8);
    g.Output("y", Grid(g, g.Op("ADD", {x, x}), step, ir::DType::kI8));
    return IntegersOf(g);
  };
  EXPECT_GT(of(0.01), 0);
  EXPECT_EQ(of(0.001), 0);
}

// Channels of zeros have no steps.
TEST(UseIntegersTest, SumsOfProductsAreNotInFinerStepsThanThese) {
  const auto of = [](double step, float weight) {
    TestGraph g;
    ir::Registry::Global().Add(ops::CircleIntegersOps());
    ir::Rewriter rewriter(g.graph());
    Value* const weights = rewriter.CreateConstant(
        ir::Tensor::Of<float>(ir::DType::kF32, {2, 3}, std::vector<float>{weight, 0, 0, 0, 0, 0}));
    Value* const x = Grid(g, g.Input("x", {4, 3}), 127, ir::DType::kI8);
    g.Output("y", Grid(g, g.Op("FULLY_CONNECTED", {x, weights, nullptr}), step, ir::DType::kI8));
    return IntegersOf(g);
  };
  EXPECT_GT(of(2, 1), 0);
  EXPECT_EQ(of(0.5, 1), 0);
  EXPECT_GT(of(0.5, 0), 0);
}

// onert takes the numbers that a cast reads for others than those that it makes of floats.
TEST(UseIntegersTest, BytesThatACastReadsAreMadeByOne) {
  for (const char* place : {"litert", "onert"}) {
    TestGraph g;
    ir::Registry::Global().Add(ops::CircleIntegersOps());
    ir::Rewriter rewriter(g.graph());
    Value* const scale = g.Fill(0.5, {});
    Value* const zero = rewriter.CreateConstant(
        ir::Tensor::Of<int64_t>(ir::DType::kU8, {}, std::vector<int64_t>{3}));
    const auto grid = [&](Value* floats) { return g.Op("QUANTIZED", {floats, scale, zero}); };
    Value* const x = g.Op("DEQUANTIZED", {grid(g.Input("x", {2, 3})), scale, zero});
    Value* const bytes = grid(g.Op("ADD", {x, x}));
    g.Output("y", g.Op("DEQUANTIZED", {bytes, scale, zero}));
    g.Output("z", g.Op("CAST", {bytes},
                       {{"in_data_type", ir::DType::kU8}, {"out_data_type", ir::DType::kI32}}));
    passes::PassContext context;
    const absl::StatusOr<Places> places = Places::Of(place);
    ASSERT_TRUE(places.ok()) << places.status();
    const auto result = UseIntegers(g.graph(), context, nullptr, &*places);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(ir::Verify(g.graph()).ok());
    for (const ir::Operation* op : g.graph().TopologicalOrder()) EXPECT_EQ(places->WhyNot(*op), "");
  }
}

// A quantized product leaves units of one, which have the scale that what is behind reads them by.
TEST(UseIntegersTest, UnitsOfOneAreStoredAsTheyAreRead) {
  TestGraph g;
  ir::Registry::Global().Add(ops::CircleIntegersOps());
  ir::Rewriter rewriter(g.graph());
  Value* const zero =
      rewriter.CreateConstant(ir::Tensor::Of<int64_t>(ir::DType::kI8, {}, std::vector<int64_t>{3}));
  Value* const units = g.Op("QUANTIZED", {g.Input("x", {2, 3}), g.Fill(1, {}), zero});
  Value* const half = g.Fill(0.5, {});
  Value* const read = g.Op("DEQUANTIZED", {units, half, zero});
  g.Output("y", g.Op("QUANTIZED", {g.Op("ADD", {read, read}), half, zero}));
  passes::PassContext context;
  IntegersReport report;
  const auto result = UseIntegers(g.graph(), context, &report, nullptr);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(ir::Verify(g.graph()).ok());
  EXPECT_EQ(report.operators, 2);
}

}  // namespace
}  // namespace tessera::circle

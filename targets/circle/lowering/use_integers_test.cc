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

Value* Grid(TestGraph& g, Value* floats, double step) {
  ir::Rewriter rewriter(g.graph());
  Value* const scale = g.Fill(step, {});
  Value* const zero = rewriter.CreateConstant(
      ir::Tensor::Of<int64_t>(ir::DType::kI16, {}, std::vector<int64_t>{0}));
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

}  // namespace
}  // namespace tessera::circle

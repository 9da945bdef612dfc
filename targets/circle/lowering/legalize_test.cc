#include "targets/circle/lowering/legalize.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& CircleOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

// What is refused of a cubic resize of both axes of an image, each a product with its weights.
std::vector<Refusal> RefusedOfResize(int64_t folding_growth) {
  ir::Registry::Global().Add(ops::CoreOps());
  ir::Registry::Global().Add(ops::CircleOps());
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(
      "ir 1\n"
      "input %0 \"x\" : f32[1,1,100,100]\n"
      "%1 = core.Resize(%0) {sizes=[1,1,500,500], mode=cubic} at \"larger\"\n"
      "output \"y\" = %1\n",
      [](const ir::Digest&) -> absl::StatusOr<ir::Tensor> { return absl::NotFoundError("none"); });
  EXPECT_TRUE(graph.ok()) << graph.status();
  std::vector<Refusal> refusals;
  if (!graph.ok()) return refusals;
  passes::PassContext context;
  context.folding_growth_left = folding_growth;
  const absl::Status status = Legalize(**graph, context, refusals);
  EXPECT_TRUE(status.ok()) << status;
  return refusals;
}

TEST(Legalize, ConstantsOfAFormAreFoldedHoweverSmallWhatTheyComeFrom) {
  EXPECT_TRUE(RefusedOfResize(passes::kFoldingGrowth).empty());
}

TEST(Legalize, ConstantsThatMayNotBeFoldedAreTheReason) {
  EXPECT_EQ(ErrorOf(RefusedOfResize(0)),
            absl::UnimplementedError(
                "1 operation(s) without a form in Circle:\n"
                "  `Resize` at `larger`: the constants that its form is made of would be larger "
                "than folding may make them (`--max-folding`)"));
}

}  // namespace
}  // namespace tessera::circle

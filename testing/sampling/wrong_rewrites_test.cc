#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ir/registry.h"
#include "testing/sampling/checks.h"
#include "testing/sampling/rewrite_agreement.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& WrongRewritesOps();
const std::vector<OpExamples>& WrongRewritesExamples();
const std::vector<Signature>& WrongRewritesSignatures();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

constexpr int kCount = 1500;  // as the suite takes of each rewrite

TEST(WrongRewritesTest, EachIsRefused) {
  ir::Registry::Global().Add(ops::CoreOps());
  ir::Registry::Global().Add(ops::WrongRewritesOps());
  // Right but for values that are not finite, or leave the range of their type.
  const std::set<std::string> finite = {
      "Nothing.difference_of_itself", "Nothing.nothing_times",     "Nothing.log_of_exp",
      "Nothing.reassociated",         "Nothing.sum_with_negative", "Nothing.products_reassociated",
      "Nothing.opposite_comparison"};
  const ops::Signature& signature = ops::WrongRewritesSignatures()[0];
  for (const ops::RewriteExample& example : ops::WrongRewritesExamples()[0].rewrites) {
    const RewriteCampaign campaign = SampleRewrite(signature, example, kSuiteSeed, kCount);
    EXPECT_GT(campaign.fired, 0) << example.rewrite;
    if (finite.count(example.rewrite) == 0) {
      EXPECT_NE(campaign.failure, "") << example.rewrite << " is not refused";
    } else {
      EXPECT_EQ(campaign.failure, "");
      EXPECT_TRUE(campaign.finite_only) << example.rewrite;
    }
  }
}

TEST(WrongRewritesTest, AFailureIsAnExampleToPaste) {
  ir::Registry::Global().Add(ops::CoreOps());
  ir::Registry::Global().Add(ops::WrongRewritesOps());
  for (const ops::RewriteExample& example : ops::WrongRewritesExamples()[0].rewrites) {
    if (example.rewrite != "Nothing.floor_of_negative") continue;
    const RewriteCampaign campaign =
        SampleRewrite(ops::WrongRewritesSignatures()[0], example, kSuiteSeed, kCount);
    EXPECT_NE(campaign.failure.find("in wrong_rewrites.op:\n  example { x = ["), std::string::npos)
        << campaign.failure;
    // One element is enough.
    EXPECT_EQ(campaign.failure.find(','), campaign.failure.find(", output"));
  }
}

}  // namespace
}  // namespace tessera::testing

#include "testing/confluence.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/canonicalize.h"
#include "testing/pattern_overlap.h"

namespace tessera::ops {
const ir::Dialect& CompetingOps();
const std::vector<OpExamples>& CompetingExamples();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;

const ops::RewriteExample& ExampleOf(const std::string& rewrite) {
  for (const ops::OpExamples& op : ops::CompetingExamples()) {
    for (const ops::RewriteExample& example : op.rewrites) {
      if (example.rewrite == rewrite) return example;
    }
  }
  ADD_FAILURE() << "no example of `" << rewrite << "`";
  return ops::CompetingExamples()[0].rewrites[0];
}

// Of the first overlap that can be built.
Confluence Meeting(const std::string& outer, const std::string& inner) {
  for (const ops::RewriteExample& overlap : Overlaps(ExampleOf(outer), ExampleOf(inner), true)) {
    const Confluence confluence = CheckConfluence(overlap, "core");
    if (confluence.graphs > 0) return confluence;
  }
  return {};
}

class ConfluenceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ir::Registry::Global().Add(ops::CompetingOps()); }
};

TEST_F(ConfluenceTest, ThePairAndBothEndsAreNamed) {
  const Confluence confluence = CheckConfluence(ExampleOf("Same.left"), "core");
  EXPECT_EQ(confluence.graphs, 1);
  EXPECT_EQ(confluence.pairs, (Pairs{{"Same.left", "Same.right"}}));
  EXPECT_EQ(confluence.failure,
            "`Same.left` at `Same` and `Same.right` at `Same` end in different graphs, from\n"
            "ir 1\n"
            "input %0 \"in0\" : f32[2,3]\n"
            "%1 = core.Same(%0) : f32[2,3] at \"Same.left\"\n"
            "output \"out0\" = %1\n"
            "obligations 0\n"
            "by `Same.left`\n"
            "  %0 = Left(in0 : f32[2,3])\n"
            "  output %0.0 : f32[2,3]\n"
            "by `Same.right`\n"
            "  %0 = Right(in0 : f32[2,3])\n"
            "  output %0.0 : f32[2,3]\n");
}

TEST_F(ConfluenceTest, OneRewriteAloneDoesNotCompete) {
  const Confluence confluence = CheckConfluence(ExampleOf("Left.through"), "core");
  EXPECT_EQ(confluence.graphs, 0);
  EXPECT_EQ(confluence.failure, "");
}

// Left(Right(Right(x))): Left(Right(x)) and then Last(x), or Last(Right(x)).
TEST_F(ConfluenceTest, AnArgumentOfOneIsTheRootOfAnother) {
  const Confluence confluence = Meeting("Left.through", "Right.twice");
  EXPECT_EQ(confluence.pairs, (Pairs{{"Left.through", "Right.twice"}}));
  EXPECT_EQ(confluence.failure.substr(0, confluence.failure.find(", from")),
            "`Right.twice` at `Right` and `Left.through` at `Left` end in different graphs");
}

TEST_F(ConfluenceTest, ARewriteMeetsItself) {
  const Confluence confluence = Meeting("Right.twice", "Right.twice");
  EXPECT_EQ(confluence.pairs, (Pairs{{"Right.twice", "Right.twice"}}));
  EXPECT_EQ(confluence.failure, "");
}

// Last(Last(Left(x))): by the rewrite that is not late x is all that is left to the other.
TEST_F(ConfluenceTest, ALateRewriteDoesNotCompeteWithOthers) {
  const Confluence confluence = Meeting("Last.single", "Last.of_left");
  EXPECT_EQ(confluence.graphs, 0);
  EXPECT_EQ(confluence.failure, "");
}

// Last(Last(Last(Left(x)))): were the late one taken first, no Last would be left.
TEST_F(ConfluenceTest, LateRewritesWaitForAllOthers) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto graph = ir::Parse(
        "ir 1\ninput %0 \"x\" : f32[2]\n%1 = core.Left(%0)\n%2 = core.Last(%1)\n"
        "%3 = core.Last(%2)\n%4 = core.Last(%3)\noutput \"y\" = %4\n");
    ASSERT_TRUE(graph.ok()) << graph.status();
    passes::PassContext context;
    context.shuffle_seed = seed;
    const auto result = passes::Canonicalize(**graph, "core", context);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->rewrites, 2);
    EXPECT_EQ(ir::Print(**graph, {.locations = false}),
              "ir 1\ninput %0 \"x\" : f32[2]\n%1 = core.Last(%0) : f32[2]\noutput \"y\" = %1\n"
              "obligations 0\n");
  }
}

TEST_F(ConfluenceTest, ConstantsAreComparedByWhatIsComputed) {
  const Confluence confluence = Meeting("Shift.one", "Shift.two");
  EXPECT_EQ(confluence.pairs, (Pairs{{"Shift.one", "Shift.two"}}));
  EXPECT_EQ(confluence.failure.substr(0, confluence.failure.find(": element 0")),
            "`Shift.one` at `Shift` and `Shift.two` at `Shift` compute different values");
}

}  // namespace
}  // namespace tessera::testing

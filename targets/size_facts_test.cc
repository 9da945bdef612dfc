#include "targets/size_facts.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/rewriter.h"
#include "solver/data_sizes.h"

namespace tessera::targets {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

class SizeFactsTest : public ::testing::Test {
 protected:
  SizeFactsTest() {
    ir::Rewriter rewriter(graph_);
    const ir::Expr n = *graph_.context().Declare("N", {1, 4}, {1, 0}, "`--dim`");
    const ir::Expr h = *graph_.context().Declare("H", {8, 64}, {8, 0}, "`--dim`");
    x_ = *rewriter.AddInput("x", {ir::DType::kF32, {n, 3, h}});
    y_ = *rewriter.AddInput("y", {ir::DType::kF32, {n + 1, h * 2}});
    EXPECT_TRUE(rewriter.AddOutput("z", x_).ok());
    text_ = SizeFactsOf(graph_, {{"fold", "on"}});
  }

  absl::Status Check(const Shapes& shapes) {
    const auto facts = SizeFacts::Parse(text_);
    return facts.ok() ? facts->Check(shapes) : facts.status();
  }

  ir::Graph graph_;
  ir::Value* x_;
  ir::Value* y_;
  std::string text_;
};

TEST_F(SizeFactsTest, AdmittedSizes) {
  EXPECT_TRUE(Check({{2, 3, 16}, {3, 32}}).ok()) << Check({{2, 3, 16}, {3, 32}});
}

TEST_F(SizeFactsTest, WhatRelatesSizes) {
  const ir::Expr n = graph_.context().Symbol("N"), h = graph_.context().Symbol("H");
  ASSERT_TRUE(graph_.context().Assume(solver::Eq(solver::Mod(n * h, 16), 0), "it says so").ok());
  text_ = SizeFactsOf(graph_, {});
  EXPECT_TRUE(Check({{2, 3, 8}, {3, 16}}).ok()) << Check({{2, 3, 8}, {3, 16}});
  EXPECT_EQ(Check({{3, 3, 8}, {4, 16}}).message(),
            "sizes N=3, H=8: `mod(N*floor(H/8), 2) == 0` is false (it says so)");
}

TEST_F(SizeFactsTest, WhatIsOfOneSizeButNoRange) {
  const ir::Expr n = graph_.context().Symbol("N");
  ASSERT_TRUE(graph_.context().Assume(solver::Le(solver::Mod(n, 3), 1), "it says so").ok());
  text_ = SizeFactsOf(graph_, {});
  EXPECT_TRUE(Check({{3, 3, 8}, {4, 16}}).ok()) << Check({{3, 3, 8}, {4, 16}});
  EXPECT_EQ(Check({{2, 3, 8}, {3, 16}}).message(),
            "sizes N=2: `mod(N, 3) < 2` is false (it says so)");
}

TEST_F(SizeFactsTest, WhatDataDecide) {
  solver::Context& context = graph_.context();
  const std::string origin = solver::DataSizeOrigin("`Compress`");
  const ir::Expr kept = *context.Declare("kept", {0, 4}, {1, 0}, origin);
  ASSERT_TRUE(context.Assume(solver::Le(kept, context.Symbol("N")), origin).ok());
  ir::Obligation open;
  open.constraint = "k";
  open.message = "2 of fewer";
  open.predicate = solver::Ge(kept, 2);
  ir::Rewriter rewriter(graph_);
  rewriter.SetLocation(ir::Location::Of("best"));
  rewriter.AddObligation(open, "TopK", nullptr);
  const auto facts =
      SizeFacts::Parse(SizeFactsOf(graph_, {}, std::vector<CountedSize>{{"kept", "t"}}));
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_EQ(facts->counted().size(), 1u);
  EXPECT_EQ(facts->counted()[0].symbol, "kept");
  EXPECT_EQ(facts->counted()[0].tensor, "t");

  // Nothing is asked of it before it is known.
  const auto bound = facts->Bind({{3, 3, 8}, {4, 16}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  const auto counted = [&](int64_t size) {
    solver::Assignment known = *bound;
    return std::string(facts->Count("kept", size, known).message());
  };
  EXPECT_EQ(counted(2), "");
  EXPECT_EQ(counted(3), "");
  EXPECT_EQ(counted(5), "`kept` is 5, admitted are 0..4");
  EXPECT_EQ(counted(4), "sizes N=3, kept=4: `N >= kept` is false (data decide it, at `Compress`)");
  EXPECT_EQ(counted(1), "`TopK` at `best`: constraint `k`: 2 of fewer");
  solver::Assignment known = *bound;
  EXPECT_TRUE(facts->Count("kept", 3, known).ok());
  EXPECT_TRUE(facts->Count("kept", 3, known).ok());
  EXPECT_EQ(facts->Count("kept", 2, known).message(), "`kept` is counted as 3 and as 2");
}

TEST_F(SizeFactsTest, SaysWhatIsWrong) {
  const auto wrong = [&](const Shapes& shapes, const std::string& part) {
    const absl::Status status = Check(shapes);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_NE(std::string(status.message()).find(part), std::string::npos) << status;
  };
  wrong({{5, 3, 16}, {6, 32}}, "`N` is 5");
  wrong({{2, 3, 12}, {3, 24}}, "`H` is 12, admitted are 8..64 with remainder 0 modulo 8");
  wrong({{2, 4, 16}, {3, 32}}, "axis 1 of input `x` is 4");
  wrong({{2, 3, 16}, {4, 32}}, "axis 0 of input `y` is 4");
  wrong({{2, 3, 16}}, "1 inputs");
  wrong({{2, 3}, {3, 32}}, "rank 2");
}

TEST_F(SizeFactsTest, RefusesOtherTexts) {
  for (const std::string text :
       {"", "[]", "{}", "{\"version\": 2}", "{\"version\": 1, \"symbols\": [{\"name\": \"N\"}]}",
        "{\"version\": 1, \"inputs\": [{\"name\": \"x\", \"dims\": [\"N +\"]}]}",
        "{\"version\": 1, \"inputs\": [{\"name\": \"x\", \"dims\": [7]}]}"}) {
    EXPECT_FALSE(SizeFacts::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tessera::targets

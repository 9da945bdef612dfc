#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/test_dialect.h"

namespace tessera::ir {
namespace {

class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    RegisterOpsForTest();
    h_ = graph_.context().Symbol("H");
    x_ = *rewriter_.AddInput("x", {DType::kF32, {h_, 2}});
    a_ = Make(rewriter_, "Relu", {x_});
    b_ = Make(rewriter_, "Add", {a_->result(), x_});
    shape_ = Make(rewriter_, "Shape", {x_});
    ASSERT_TRUE(rewriter_.AddOutput("b", b_->result()).ok());
    ASSERT_TRUE(rewriter_.AddOutput("shape", shape_->result()).ok());
    ASSERT_TRUE(Verify(graph_).ok()) << Verify(graph_);
  }
  testing::AssertionResult Finds(const char* problem) {
    const absl::Status status = Verify(graph_);
    if (status.ok()) return testing::AssertionFailure() << "no problem found";
    if (absl::StrContains(status.message(), problem)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << status.message();
  }

  Graph graph_;
  Rewriter rewriter_{graph_};
  Expr h_;
  Value* x_ = nullptr;
  Operation *a_ = nullptr, *b_ = nullptr, *shape_ = nullptr;
};

TEST_F(VerifyTest, ListsUnreachedInputs) {
  Value* idle = *rewriter_.AddInput("idle", {DType::kF32, {2}});
  Value* dead_end = *rewriter_.AddInput("dead_end", {DType::kF32, {2}});
  Value* shown = *rewriter_.AddInput("shown", {DType::kF32, {2}});
  Make(rewriter_, "Relu", {dead_end});
  Make(rewriter_, "Print", {shown});
  Make(rewriter_, "Zoo", {x_, nullptr, x_});
  std::vector<const Value*> unreached;
  EXPECT_TRUE(Verify(graph_, &unreached).ok());
  EXPECT_EQ(unreached, (std::vector<const Value*>{idle, dead_end}));
}

TEST_F(VerifyTest, FindsWrongTypes) {
  GraphBreaker::SetDim(*b_->result(), 1, 3);
  EXPECT_TRUE(
      Finds("f32[H,2] is inferred, not f32[H,3]\n"
            "%2 = t.Add(%1, %0) : f32[H,3]\n"
            "^~"));
  GraphBreaker::SetDim(*b_->result(), 1, 2);
  GraphBreaker::SetDType(*b_->result(), DType::kF64);
  EXPECT_TRUE(Finds("f32[H,2] is inferred, not f64[H,2]"));
}

TEST_F(VerifyTest, FindsViolatedConstraints) {
  GraphBreaker::SetDim(*a_->result(), 1, 5);
  EXPECT_TRUE(Finds("2 problems in the graph"));
  EXPECT_TRUE(Finds("constraint `equal.D`: dim 1 is 5 and 2"));
  GraphBreaker::SetDim(*a_->result(), 1, 2);
  GraphBreaker::SetDType(*x_, DType::kI32);
  EXPECT_TRUE(
      Finds("constraint `type.x`: not a float\n"
            "%1 = t.Relu(%0) : f32[H,2]\n"
            "            ^~"));
}

// A value may know less than is inferred now: more facts are known than when it was made.
TEST_F(VerifyTest, FindsOtherElements) {
  GraphBreaker::SetElement(*shape_->result(), 0, 7);
  EXPECT_TRUE(Finds("other elements are inferred"));
}

TEST_F(VerifyTest, FindsLostAttributes) {
  Operation* concat = Make(rewriter_, "Concat", {x_, x_});
  GraphBreaker::DropAttrs(*concat);
  EXPECT_TRUE(Finds("attributes and their definition disagree"));
}

TEST_F(VerifyTest, FindsOneSidedLinks) {
  GraphBreaker::SetOperand(*b_, 0, x_);
  EXPECT_TRUE(
      Finds("an operand does not know of this use\n"
            "%2 = t.Add(%0, %0) : f32[H,2]\n"
            "           ^~"));
  EXPECT_TRUE(Finds("lists a use here that is none"));
}

TEST_F(VerifyTest, FindsUsesThatAreNone) {
  GraphBreaker::AddUse(*b_->result(), {a_, 0});
  EXPECT_TRUE(Finds("lists a use here that is none"));
}

TEST_F(VerifyTest, FindsForgottenUses) {
  GraphBreaker::DropUse(*a_->result());
  EXPECT_TRUE(Finds("an operand does not know of this use"));
}

TEST_F(VerifyTest, FindsCycles) {
  GraphBreaker::SetOperand(*a_, 0, b_->result());
  GraphBreaker::AddUse(*b_->result(), {a_, 0});
  EXPECT_TRUE(Finds("a cycle, or a broken order"));
}

TEST_F(VerifyTest, FindsBrokenLabels) {
  GraphBreaker::SetOrder(*a_, ~uint64_t{0});
  EXPECT_TRUE(Finds("labels do not increase"));
}

TEST_F(VerifyTest, FindsWrongProducers) {
  GraphBreaker::SetProducer(*b_->result(), a_);
  EXPECT_TRUE(Finds("a result does not know its producer"));
  GraphBreaker::SetProducer(*b_->result(), b_);
  GraphBreaker::SetProducer(*x_, a_);
  EXPECT_TRUE(Finds("`x` is a result"));
}

TEST_F(VerifyTest, FindsForeignOperands) {
  Graph other;
  Rewriter elsewhere(other);
  GraphBreaker::SetOperand(*a_, 0, *elsewhere.AddInput("x", {DType::kF32, {2}}));
  EXPECT_TRUE(Finds("an operand is erased or of another graph"));
}

TEST_F(VerifyTest, FindsAbsentOperands) {
  GraphBreaker::DropUse(*a_->result());
  GraphBreaker::SetOperand(*b_, 0, nullptr);
  EXPECT_TRUE(Finds("operand `x` is absent"));
}

TEST_F(VerifyTest, FindsBrokenInterfaces) {
  Value* y = *rewriter_.AddInput("y", {DType::kF32, {2}});
  GraphBreaker::SetName(*y, "x");
  EXPECT_TRUE(Finds("redeclaration of input `x`"));
  GraphBreaker::SetName(*y, "");
  EXPECT_TRUE(Finds("input without a name"));
  GraphBreaker::DropInput(graph_);
  EXPECT_TRUE(Finds("is neither an input nor a result"));
  GraphBreaker::DropOutputName(graph_);
  EXPECT_TRUE(Finds("2 outputs with 1 names"));
  GraphBreaker::DropOutput(*graph_.outputs()[1]);
  EXPECT_TRUE(Finds("is the outputs [1] and notes []"));
}

}  // namespace
}  // namespace tessera::ir

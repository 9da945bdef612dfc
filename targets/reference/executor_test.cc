#include "targets/reference/executor.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/rewriter.h"
#include "targets/reference/testing.h"

namespace tessera::reference {
namespace {

using solver::Expr;
using testing::Floats;
using testing::ValuesOf;

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() : rewriter_(graph_) {}

  ir::Value* Input(const char* name, std::vector<Expr> dims) {
    return *rewriter_.AddInput(name, {ir::DType::kF32, std::move(dims)});
  }
  ir::Operation* Create(const ir::OpInfo& info, std::vector<ir::Value*> operands,
                        std::vector<ir::Attribute> attrs = {}) {
    rewriter_.SetLocation(ir::Location::Of(absl::StrCat("net/", std::string(info.name))));
    absl::StatusOr<ir::Operation*> op =
        rewriter_.Create(info, std::move(operands), std::move(attrs));
    EXPECT_TRUE(op.ok()) << op.status();
    return *op;
  }
  void Output(const char* name, ir::Value* value) {
    ASSERT_TRUE(rewriter_.AddOutput(name, value).ok());
  }
  absl::StatusOr<std::vector<ir::Tensor>> Run(const std::vector<ir::Tensor>& inputs) {
    absl::StatusOr<Executor> executor = Executor::Create(graph_);
    if (!executor.ok()) return executor.status();
    return executor->Run(inputs);
  }

  Expr Even(const char* name) { return *graph_.context().Declare(name, {1, 1 << 30}, {2, 0}, ""); }

  ir::Graph graph_;
  ir::Rewriter rewriter_;
};

TEST_F(ExecutorTest, RunsOpsConstantsAndPassedThroughInputs) {
  ir::Value* const x = Input("x", {Even("N")});
  ir::Value* const ten = rewriter_.CreateConstant(Floats({}, {10}));
  ir::Operation* const halves = Create(testing::HalvesInfo(), {x});
  // The first half is used twice, the second by nothing but an output.
  ir::Value* const a = Create(testing::PlusInfo(), {halves->result(0), ten})->result();
  ir::Value* const b = Create(testing::PlusInfo(), {halves->result(0)})->result();
  Output("a", a);
  Output("b", b);
  Output("second", halves->result(1));
  Output("again", a);
  Output("x_out", x);
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<std::vector<ir::Tensor>> outputs = Run({Floats({4}, {1, 2, 3, 4})});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_EQ(outputs->size(), 5u);
    EXPECT_EQ(ValuesOf((*outputs)[0]), (std::vector<float>{11, 12}));
    EXPECT_EQ(ValuesOf((*outputs)[1]), (std::vector<float>{2, 3}));
    EXPECT_EQ(ValuesOf((*outputs)[2]), (std::vector<float>{3, 4}));
    EXPECT_EQ(ValuesOf((*outputs)[3]), (std::vector<float>{11, 12}));
    EXPECT_EQ(ValuesOf((*outputs)[4]), (std::vector<float>{1, 2, 3, 4}));
  }
}

// Of different sizes, on as many threads as there are; what is seen does not depend on them.
TEST_F(ExecutorTest, RunsSideBySide) {
  ir::Value* const x = Input("x", {Even("N")});
  ir::Operation* const halves = Create(testing::HalvesInfo(), {x});
  ir::Value* const sum =
      Create(testing::PlusInfo(), {halves->result(0), rewriter_.CreateConstant(Floats({}, {10}))})
          ->result();
  Output("sum", sum);
  const absl::StatusOr<Executor> executor = Executor::Create(graph_);
  ASSERT_TRUE(executor.ok()) << executor.status();
  std::vector<std::vector<ir::Tensor>> inputs;
  for (int64_t run = 0; run < 20; ++run) {
    const std::vector<float> values(static_cast<size_t>(2 + 2 * (run % 3)), float(run));
    inputs.push_back({Floats({static_cast<int64_t>(values.size())}, values)});
  }
  std::vector<float> seen;
  const auto observe = [&](const ir::Value& value, const ir::Tensor& tensor) {
    if (&value == sum) seen.push_back(ValuesOf(tensor)[0]);
  };
  const Executor::Together together = executor->RunTogether(inputs, observe);
  ASSERT_TRUE(together.status.ok()) << together.status;
  ASSERT_EQ(together.outputs.size(), inputs.size());
  ASSERT_EQ(seen.size(), inputs.size());
  for (size_t run = 0; run < inputs.size(); ++run) {
    const absl::StatusOr<std::vector<ir::Tensor>> alone = executor->Run(inputs[run]);
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_EQ(ValuesOf(together.outputs[run][0]), ValuesOf((*alone)[0]));
    EXPECT_EQ(seen[run], 10 + float(run));
  }
  // Of the longest: six floats and both halves of them.
  EXPECT_EQ(together.live_bytes, 48);

  inputs[7] = {Floats({3}, {1, 2, 3})};
  inputs[11] = inputs[7];
  const Executor::Together odd = executor->RunTogether(inputs, observe);
  EXPECT_EQ(odd.failed, 7u);
  EXPECT_EQ(odd.status.message(), executor->Run(inputs[7]).status().message());
}

TEST_F(ExecutorTest, OpenObligationsAreCheckedFirst) {
  ir::Value* const x = Input("x", {Even("N"), 0});
  Output("y", Create(testing::HalvesInfo(), {x})->result());
  ASSERT_EQ(graph_.obligations().size(), 1u);
  EXPECT_TRUE(Run({Floats({testing::kTall + 2, 0}, {})}).ok());
  const absl::Status status = Run({Floats({testing::kTall, 0}, {})}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "for N=15485862:\n`Halves` at `net/Halves`: constraint `tall`: axis 0 is too tall");
}

TEST_F(ExecutorTest, SymbolicAttributesAndConstantsAreEvaluated) {
  const Expr n = graph_.context().Symbol("N"), m = graph_.context().Symbol("M");
  Input("x", {n, m});
  const std::vector<Expr> dims = {2 * n, solver::FloorDiv(m, 2)};
  Output("zeros", Create(testing::ZerosInfo(), {}, {dims, int64_t{0}})->result());
  Output("shape", *rewriter_.CreateSymbolicConstant(ir::DType::kI32, {2}, dims));
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = Run({Floats({1, 5}, {1, 2, 3, 4, 5})});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].shape(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ((*outputs)[1].dtype(), ir::DType::kI32);
  EXPECT_EQ((*outputs)[1].AsInt(0), 2);
  EXPECT_EQ((*outputs)[1].AsInt(1), 2);
}

TEST_F(ExecutorTest, DisagreementOfTheDomainsIsAnInternalErrorThatNamesTheOp) {
  const Expr n = graph_.context().Symbol("N");
  Input("x", {n});
  Output("y", Create(testing::ZerosInfo(), {}, {std::vector<Expr>{n}, int64_t{1}})->result());
  const absl::Status status = Run({Floats({2}, {1, 2})}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("`Zeros` at `net/Zeros`"), absl::string_view::npos) << status;
  EXPECT_NE(status.message().find("`f32[2,1]`, its type is `f32[N]`"), absl::string_view::npos)
      << status;
}

TEST_F(ExecutorTest, MemoryIsBoundedOverAllLiveTensors) {
  const Expr n = graph_.context().Symbol("N");
  Input("x", {n});
  // Three times 2^31 * N bytes live at once; the bound is 2^33.
  for (const char* name : {"a", "b", "c"}) {
    Output(
        name,
        Create(testing::ZerosInfo(), {}, {std::vector<Expr>{n * (1 << 29)}, int64_t{0}})->result());
  }
  const absl::Status status = Run({Floats({2}, {1, 2})}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "at `net/Zeros`: `Zeros`: result of shape [1073741824], 4294967296 bytes, exceeds the "
            "memory that tensors may take");
}

}  // namespace
}  // namespace tessera::reference

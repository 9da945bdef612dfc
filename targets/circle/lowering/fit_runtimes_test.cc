// What a clause `lower circle` of an operator of the format puts in its place computes the same:
// each example of each definition, as it stands and through the clause, on the reference; asked as
// each runtime asks for it, and as none does.
#include "targets/circle/lowering/fit_runtimes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/support/examples.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "ir/text.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/reference/executor.h"
#include "testing/example_case.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
const std::vector<OpExamples>& CircleExamples();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

constexpr double kTolerance = 1e-5;

struct Sides {
  std::vector<ir::Tensor> before, after;
  std::string refusal;
};

absl::StatusOr<std::vector<ir::Tensor>> Computed(const ir::Graph& graph,
                                                 const std::vector<ir::Tensor>& inputs) {
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return executor.status();
  return executor->Run(inputs);
}

absl::StatusOr<Sides> Through(const ops::OpExamples& op, const ops::Example& example,
                              const ir::Capabilities* capabilities) {
  testing::Case prepared;
  absl::Status status = testing::Prepare(op, example, prepared);
  if (!status.ok()) return status;
  ir::Graph graph;
  status = testing::BuildGraph(prepared, /*constants=*/false, graph);
  if (!status.ok()) return status;
  const std::vector<ir::Tensor> inputs = testing::InputsOf(prepared, graph);
  Sides sides;
  absl::StatusOr<std::vector<ir::Tensor>> computed = Computed(graph, inputs);
  if (!computed.ok()) return computed.status();
  sides.before = *std::move(computed);
  const int id = graph.outputs()[0]->producer()->id();
  passes::PassContext context;
  std::vector<Refusal> refusals;
  status = passes::LowerOnce(
      graph, kDialect, [&](const ir::Operation& each) { return each.id() == id; }, context,
      refusals, capabilities);
  if (!status.ok()) return status;
  if (!refusals.empty()) {
    sides.refusal = refusals[0].reason;
    return sides;
  }
  computed = Computed(graph, inputs);
  if (!computed.ok()) return computed.status();
  sides.after = *std::move(computed);
  return sides;
}

TEST(FitRuntimes, ClausesKeepValues) {
  ir::Registry::Global().Add(ops::CircleOps());
  std::vector<Places> places;
  for (const std::string& name : PlaceNames()) {
    const absl::StatusOr<Places> one = Places::Of(name);
    ASSERT_TRUE(one.ok()) << one.status();
    places.push_back(*one);
  }
  std::vector<const ir::Capabilities*> asked = {nullptr};
  for (const Places& one : places) asked.push_back(&one);
  int operators = 0, compared = 0;
  for (const ops::OpExamples& op : ops::CircleExamples()) {
    const ir::OpInfo* const info = ir::Registry::Global().Find(op.dialect, op.op);
    if (op.builder || info == nullptr || info->code == nullptr || info->lowerings.empty()) continue;
    ++operators;
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      for (const ir::Capabilities* capabilities : asked) {
        SCOPED_TRACE(op.op + " at line " + std::to_string(example.line));
        const absl::StatusOr<Sides> sides = Through(op, example, capabilities);
        ASSERT_TRUE(sides.ok()) << sides.status();
        if (!sides->refusal.empty()) continue;
        ++compared;
        ASSERT_EQ(sides->after.size(), sides->before.size());
        for (size_t i = 0; i < sides->after.size(); ++i)
          EXPECT_EQ(testing::Difference(sides->after[i], sides->before[i], kTolerance), "");
      }
    }
  }
  EXPECT_GE(operators, 40);
  EXPECT_GE(compared, 2 * operators);
}

// Rows that are too long to compare each entry with each: one after the other is taken.
TEST(FitRuntimes, TheGreatestOfLongRows) {
  ir::Registry::Global().Add(ops::CircleOps());
  const absl::StatusOr<Places> onert = Places::Of("onert");
  ASSERT_TRUE(onert.ok()) << onert.status();
  constexpr int64_t kEntries = 4200;
  for (const bool floats : {true, false}) {
    // Equal ones, the least there are, and what is no number.
    std::vector<double> entries;
    for (int64_t i = 0; i < kEntries; ++i) {
      const int64_t draw = i * 7919 % kEntries;
      entries.push_back(draw < 100              ? static_cast<double>(draw / 3 - 10)
                        : draw < 200 || !floats ? (floats ? -HUGE_VAL : -2147483648.0)
                                                : std::nan(""));
    }
    entries[17] = floats ? HUGE_VAL : 2147483647;
    const ir::DType dtype = floats ? ir::DType::kF32 : ir::DType::kI32;
    const ir::Tensor x = ir::Tensor::Of<double>(dtype, {1, kEntries}, absl::MakeConstSpan(entries));
    for (const int count : {5, 300}) {
      const auto graph = ir::Parse("ir 1\ninput %0 \"x\" : " + std::string(floats ? "f32" : "i32") +
                                   "[1,4200]\n%1 = ir.Constant [" + std::to_string(count) +
                                   "] : i32[]\n%2, %3 = circle.TOPK_V2(%0, %1)\n"
                                   "output \"y\" = %2\noutput \"at\" = %3\nobligations 0\n");
      ASSERT_TRUE(graph.ok()) << graph.status();
      const auto before = Computed(**graph, {x});
      ASSERT_TRUE(before.ok()) << before.status();
      passes::PassContext context;
      ASSERT_TRUE(FitRuntimes(**graph, context, *onert).ok());
      EXPECT_TRUE(CheckRuntimes(**graph, context, *onert).ok());
      EXPECT_NE(ir::Print(**graph).find("LoopEnd"), std::string::npos);
      const auto after = Computed(**graph, {x});
      ASSERT_TRUE(after.ok()) << after.status();
      for (size_t i = 0; i < 2; ++i)
        EXPECT_EQ(testing::Difference((*after)[i], (*before)[i], kTolerance), "");
    }
  }
}

// What is said of a graph, fitted for onert.
absl::Status FittedForOnert(const std::string& text, passes::PassContext& context) {
  ir::Registry::Global().Add(ops::CircleOps());
  const absl::StatusOr<Places> onert = Places::Of("onert");
  EXPECT_TRUE(onert.ok()) << onert.status();
  const auto graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto fitted = FitRuntimes(**graph, context, *onert);
  EXPECT_TRUE(fitted.ok()) << fitted.status();
  return CheckRuntimes(**graph, context, *onert);
}

// A clause that holds for finite numbers alone is counted, and none under strict floats.
TEST(FitRuntimes, ClausesThatAssumeFiniteNumbers) {
  for (const bool strict : {false, true}) {
    passes::PassContext context;
    context.strict_floats = strict;
    const absl::Status status = FittedForOnert(R"(ir 1
input %0 "x" : f32[2,3]
%1 = ir.Constant [1] : i32[]
%2 = circle.CUMSUM(%0, %1)
output "y" = %2
obligations 0
)",
                                               context);
    EXPECT_EQ(context.assuming, strict ? 0 : 1);
    EXPECT_EQ(status.ok(), !strict) << status;
    EXPECT_EQ(status.message().find("; nor otherwise: the form that there is assumes that all "
                                    "numbers are finite") != absl::string_view::npos,
              strict)
        << status;
  }
}

// Of operators with a clause the clause's own reason is told too: it says what to declare.
TEST(CheckRuntimes, TellsWhatTheClauseAsksFor) {
  const auto checked = [](const std::string& most) {
    passes::PassContext context;
    return FittedForOnert("ir 1\nsymbol T : 1.." + most + R"( "dim 1 of input `x`"
input %0 "x" : i64[2,T]
%1 = ir.Constant [1] : i32[1]
%2 = circle.SUM(%0, %1)
output "y" = %2
obligations 0
)",
                          context);
  };
  EXPECT_TRUE(checked("512").ok()) << checked("512");
  const absl::Status refused = checked("2147483647");
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(refused.message().find("`SUM` at"), absl::string_view::npos) << refused;
  EXPECT_NE(
      refused.message().find("; nor otherwise: a sum of i64 over T entries, which may be more "
                             "than 8388608"),
      absl::string_view::npos)
      << refused;
}

}  // namespace
}  // namespace tessera::circle

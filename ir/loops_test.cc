#include "ir/loops.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/test_dialect.h"
#include "ir/text.h"

namespace tessera::ir {
namespace {

std::unique_ptr<Graph> Parsed(const std::string& text) {
  RegisterOpsForTest();
  absl::StatusOr<std::unique_ptr<Graph>> graph = Parse("ir 1\n" + text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? *std::move(graph) : nullptr;
}

std::string ErrorOf(const std::string& text) {
  const std::unique_ptr<Graph> graph = Parsed(text);
  if (graph == nullptr) return "";
  return std::string(FindLoops(*graph).status().message());
}

constexpr char kHead[] =
    "symbol L : 0..99 \"\"\n"
    "input %0 \"x\" : f32[L,3]\n"
    "input %1 \"h\" : f32[3]\n"
    "%2 = ir.SymbolicConstant() {dtype=i32, shape=[], elements=[L]}\n";

TEST(Loops, HoldWhatVariesWithThePosition) {
  const auto graph = Parsed(std::string(kHead) +
                            "%3 = t.Relu(%1)\n"
                            "%4, %5 = ir.LoopBegin(%2, _, %3) {loop=0}\n"
                            "%6 = ir.LoopEntry(%4, %0) {length=L}\n"
                            "%7 = t.Relu(%1)\n"
                            "%8 = t.Add(%6, %5)\n"
                            "%9 = t.Add(%8, %7)\n"
                            "%10, %11 = ir.LoopEnd(%4, _, %5, %9, %8) {states=1, length=L}\n"
                            "output \"last\" = %10\n"
                            "output \"all\" = %11\n");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->outputs()[1]->type().ToString(), "f32[L,3]");
  const auto nest = FindLoops(*graph);
  ASSERT_TRUE(nest.ok()) << nest.status().message();
  ASSERT_EQ(nest->loops.size(), 1);
  const Loop& loop = nest->loops[0];
  EXPECT_EQ(loop.parent, -1);
  EXPECT_EQ(loop.states(), 1);
  EXPECT_EQ(loop.collected_count(), 1);
  ASSERT_EQ(loop.steps.size(), 3);
  EXPECT_EQ(loop.steps[1]->info().name, "Add");
  // What does not vary is computed once, and captured.
  const std::vector<Value*> captured = nest->CapturedBy(0);
  ASSERT_EQ(captured.size(), 2);
  EXPECT_EQ(captured[0], graph->inputs()[0]);
  EXPECT_EQ(captured[1]->producer()->info().name, "Relu");
  EXPECT_EQ(nest->home.at(captured[1]->producer()), -1);
  EXPECT_EQ(nest->steps.back(), loop.end);
}

TEST(Loops, HoldLoops) {
  const auto graph = Parsed(std::string(kHead) +
                            "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                            "%6, %7 = ir.LoopBegin(%2, _, %1) {loop=1}\n"
                            "%8 = ir.LoopEntry(%6, %0) {length=L}\n"
                            "%9 = t.Add(%8, %7)\n"
                            "%10 = t.Add(%9, %5)\n"
                            "%11 = ir.LoopEnd(%6, _, %7, %10) {states=1, length=L}\n"
                            "%12 = ir.LoopEnd(%4, _, %5, %11) {states=1, length=L}\n"
                            "output \"y\" = %12\n");
  ASSERT_NE(graph, nullptr);
  const auto nest = FindLoops(*graph);
  ASSERT_TRUE(nest.ok()) << nest.status().message();
  ASSERT_EQ(nest->loops.size(), 2);
  EXPECT_EQ(nest->loops[0].parent, -1);
  EXPECT_EQ(nest->loops[1].parent, 0);
  ASSERT_EQ(nest->loops[0].steps.size(), 1);
  EXPECT_EQ(nest->loops[0].steps[0], nest->loops[1].end);
  EXPECT_EQ(nest->loops[1].steps.size(), 3);
  EXPECT_TRUE(nest->IsInside(nest->loops[1].steps[0], 0));
  const std::vector<Value*> captured = nest->CapturedBy(0);
  EXPECT_EQ(captured.size(), 3);  // the number of positions, h, x
}

TEST(Loops, AreRefusedWhereTheyDoNotNest) {
  EXPECT_EQ(ErrorOf(std::string(kHead) + "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                                         "%6 = t.Relu(%5)\n"
                                         "output \"y\" = %6\n"),
            "loop at ``: has no end");
  EXPECT_EQ(ErrorOf(std::string(kHead) + "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                                         "%6 = t.Relu(%5)\n"
                                         "%7 = ir.LoopEnd(%4, _, %5, %6) {states=1, length=L}\n"
                                         "output \"y\" = %7\n"
                                         "output \"z\" = %6\n"),
            "loop at ``: an output varies with the position");
  // Each needs what the other varies with.
  EXPECT_EQ(ErrorOf(std::string(kHead) + "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                                         "%6, %7 = ir.LoopBegin(%2, _, %1) {loop=1}\n"
                                         "%8 = t.Add(%5, %7)\n"
                                         "%9 = ir.LoopEnd(%4, _, %5, %8) {states=1, length=L}\n"
                                         "%10 = t.Add(%5, %9)\n"
                                         "%11 = ir.LoopEnd(%6, _, %7, %10) {states=1, length=L}\n"
                                         "output \"y\" = %11\n"),
            "loop at ``: an output varies with the position");
}

TEST(Loops, AreRefusedWhereTheirEndsDoNotFit) {
  EXPECT_EQ(ErrorOf(std::string(kHead) + "%4, %5, %6 = ir.LoopBegin(%2, _, %1, %1) {loop=0}\n"
                                         "%7 = ir.LoopEnd(%4, _, %5, %6) {states=1, length=L}\n"
                                         "output \"y\" = %7\n"),
            "loop at ``: its end has another number of states");
  EXPECT_EQ(ErrorOf(std::string(kHead) +
                    "%4, %5, %6 = ir.LoopBegin(%2, _, %1, %1) {loop=0}\n"
                    "%7, %8 = ir.LoopEnd(%4, _, %6, %5, %5, %6) {states=2, length=L}\n"
                    "output \"y\" = %7\n"),
            "loop at ``: its end has another state 0");
  EXPECT_EQ(ErrorOf("symbol M : 0..99 \"\"\ninput %20 \"m\" : f32[M,3]\n" + std::string(kHead) +
                    "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                    "%6 = ir.LoopEntry(%4, %20) {length=M}\n"
                    "%7 = ir.LoopEnd(%4, _, %5, %6) {states=1, length=L}\n"
                    "output \"y\" = %7\n"),
            "loop at ``: has not always `M` positions");
}

TEST(Loops, KeepTheTypesOfStates) {
  RegisterOpsForTest();
  const auto refused = Parse("ir 1\n" + std::string(kHead) +
                             "input %20 \"m\" : f32[4]\n"
                             "%4, %5 = ir.LoopBegin(%2, _, %1) {loop=0}\n"
                             "%6 = ir.LoopEnd(%4, _, %5, %20) {states=1, length=L}\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(absl::StrContains(refused.status().message(),
                                "constraint `state`: axis 0 of state 0 has 3 entries and gets 4"))
      << refused.status().message();
}

}  // namespace
}  // namespace tessera::ir

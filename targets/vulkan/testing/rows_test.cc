// Reductions of rows and what is computed from them as one kernel, against the reference.
#include "targets/vulkan/program/rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::ops {
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

constexpr int64_t kSharedBytes = 16384;

// Wherever it can be done; how often that is.
int JoinAll(Program& program, int64_t workgroup, int64_t shared_bytes = kSharedBytes) {
  int joined = 0;
  const Links links(program);
  for (size_t s = program.stages.size(); s-- > 0;) {
    if (program.stages[s].nests.empty()) continue;
    const std::optional<RowStages> rows = RowStagesOf(program, links, s);
    if (!rows.has_value()) continue;
    UseRows(*rows, Joined(*rows, program, s, workgroup, shared_bytes), program, s);
    ++joined;
  }
  DropEmptyStages(program);
  return joined;
}

// How many kernels are left.
std::string ByRows(const std::string& body, int64_t workgroup = 64) {
  return KernelsOf(body, [&](Program& program) { JoinAll(program, workgroup); });
}

// How many tensors a workgroup of 64 keeps rows of, if the network computes what the reference
// does.
std::string KeptOf(const std::string& body, int64_t shared_bytes) {
  int64_t kept = 0;
  const std::string kernels = KernelsOf(body, [&](Program& program) {
    JoinAll(program, 64, shared_bytes);
    for (const Stage& stage : program.stages)
      kept += stage.rows.has_value() ? static_cast<int64_t>(stage.rows->kept.size()) : 0;
  });
  return kernels == "1" ? absl::StrCat(kept) : kernels;
}

std::string Softmax(const std::string& shape, int axis) {
  return absl::StrCat("input %0 \"x\" : f32[", shape, "]\n%1 = core.Softmax(%0) {axis=", axis,
                      "} : f32[", shape, "]\noutput \"y\" = %1\n");
}

TEST(Rows, SoftmaxIsOneKernelAlongAnyAxis) {
  EXPECT_EQ(KernelsOf(Softmax("6,40", 1)), "3");
  EXPECT_EQ(ByRows(Softmax("6,40", 1)), "1");
  EXPECT_EQ(ByRows(Softmax("40,6", 0)), "1");
  EXPECT_EQ(ByRows(Softmax("2,3,5,7", 1)), "1");
  EXPECT_EQ(ByRows(absl::StrReplaceAll(Softmax("6,40", 1), {{"core.Softmax", "core.LogSoftmax"}})),
            "1");
}

TEST(Rows, OfEveryLengthByEveryWorkgroup) {
  for (const int64_t workgroup : {32, 64, 128, 256}) {
    for (const char* shape : {"1,31", "5,32", "2,33", "3,257", "2,1000"})
      EXPECT_EQ(ByRows(Softmax(shape, 1), workgroup), "1") << shape << " by " << workgroup;
  }
}

// Means, and then the squares of what lies beside them.
constexpr char kNormalized[] =
    "input %0 \"x\" : f32[SHAPE]\n%1 = core.ReduceMean(%0) {axes=[AXES]} : f32[ROWS]\n"
    "%2 = core.Sub(%0, %1) : f32[SHAPE]\n%3 = core.Mul(%2, %2) : f32[SHAPE]\n"
    "%4 = core.ReduceMean(%3) {axes=[AXES]} : f32[ROWS]\n%5 = core.Sqrt(%4) : f32[ROWS]\n"
    "%6 = core.Div(%2, %5) : f32[SHAPE]\n";

std::string Normalized(const std::string& shape, const std::string& axes, const std::string& rows) {
  return absl::StrReplaceAll(kNormalized, {{"SHAPE", shape}, {"AXES", axes}, {"ROWS", rows}});
}

TEST(Rows, ANormalizationIsOneKernelAlongSeveralAxesToo) {
  const std::string output = "output \"y\" = %6\n";
  EXPECT_EQ(KernelsOf(Normalized("4,50", "1", "4,1") + output), "3");
  EXPECT_EQ(ByRows(Normalized("4,50", "1", "4,1") + output), "1");
  EXPECT_EQ(ByRows(Normalized("2,3,4,5,6", "2,3,4", "2,3,1,1,1") + output), "1");
  EXPECT_EQ(ByRows(Normalized("2,4,3,5", "1,3", "2,1,3,1") + output), "1");
  EXPECT_EQ(ByRows(Normalized("4,50", "0,1", "1,1") + output), "1");
}

// What the greatest, the sum and the shares are made of is read once, where the workgroup's memory
// holds a row beside what it reduces with.
TEST(Rows, AreReadOnce) {
  EXPECT_EQ(KeptOf(Softmax("6,40", 1), 4 * (64 + 40)), "1");
  EXPECT_EQ(KeptOf(Softmax("6,40", 1), 4 * (64 + 40) - 1), "0");
  EXPECT_EQ(KeptOf(Softmax("40,6", 0), 4 * (64 + 40)), "1");
  EXPECT_EQ(KeptOf(Softmax("2,3,5,7", 2), 4 * (64 + 5)), "1");
  const std::string output = "output \"y\" = %6\n";
  EXPECT_EQ(KeptOf(Normalized("4,50", "1", "4,1") + output, kSharedBytes), "1");
  EXPECT_EQ(KeptOf(Normalized("2,3,4,5,6", "2,3,4", "2,3,1,1,1") + output, kSharedBytes), "1");
  EXPECT_EQ(KeptOf(Normalized("2,4,3,5", "1,3", "2,1,3,1") + output, kSharedBytes), "1");
}

// The scale is read for the elements alone, the shift by all: with it two are kept.
TEST(Rows, KeepWhatSeveralOfTheirNestsRead) {
  const std::string shifted =
      "input %0 \"x\" : f32[6,40]\ninput %1 \"b\" : f32[40]\ninput %2 \"s\" : f32[40]\n"
      "%3 = core.Add(%0, %1) : f32[6,40]\n%4 = core.Softmax(%3) {axis=1} : f32[6,40]\n"
      "%5 = core.Mul(%4, %2) : f32[6,40]\noutput \"y\" = %5\n";
  EXPECT_EQ(KeptOf(shifted, 4 * (64 + 80)), "2");
  EXPECT_EQ(KeptOf(shifted, 4 * (64 + 79)), "1");
}

// Behind the end of what is repeated or padded there is nothing to keep.
TEST(Rows, KeepNothingThatIsReadUnderACondition) {
  const std::string padded =
      "input %0 \"x\" : f32[6,40]\n"
      "%1 = core.Pad(%0) {pads_begin=[0,3], pads_end=[0,5], mode=constant} : f32[6,48]\n"
      "%2 = core.Softmax(%1) {axis=1} : f32[6,48]\noutput \"y\" = %2\n";
  EXPECT_EQ(KeptOf(padded, kSharedBytes), "0");
}

TEST(Rows, WhatIsReadElsewhereStaysInMemory) {
  // The means are an output, the roots are read by a second kernel.
  EXPECT_EQ(ByRows(Normalized("4,50", "1", "4,1") + "output \"y\" = %6\noutput \"mean\" = %1\n"),
            "2");
  EXPECT_EQ(ByRows(Normalized("4,50", "1", "4,1") +
                   "%7 = core.Erf(%5) : f32[4,1]\noutput \"y\" = %6\noutput \"z\" = %7\n"),
            "4");
}

// A row's sum that is read along another axis is none of the row.
TEST(Rows, SumsOfOtherRowsStayInMemory) {
  EXPECT_EQ(ByRows("input %0 \"x\" : f32[7,7]\n%1 = core.ReduceSum(%0) {axes=[1]} : f32[7,1]\n"
                   "%2 = core.Transpose(%1) {perm=[1,0]} : f32[1,7]\n"
                   "%3 = core.Add(%1, %2) : f32[7,7]\n%4 = core.Mul(%3, %0) : f32[7,7]\n"
                   "output \"y\" = %4\n"),
            "2");
}

TEST(Rows, ComputeStagesOfDefinitions) {
  int examples = 0;
  for (const ops::OpExamples& op : ops::CoreExamples()) {
    for (const ops::Example& example : op.examples) {
      Compiled compiled;
      if (example.reject || !CompileExample(op, example, compiled).ok() ||
          JoinAll(compiled.program, 32) == 0)
        continue;
      EXPECT_EQ(RunAndCompare(compiled, 1e-4), "") << op.op << " line " << example.line;
      ++examples;
    }
  }
  EXPECT_GT(examples, 10);
}

}  // namespace
}  // namespace tessera::vulkan

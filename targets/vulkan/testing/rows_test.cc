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

// Wherever it can be done; how often that is.
int JoinAll(Program& program, int64_t workgroup) {
  int joined = 0;
  const Links links(program);
  for (size_t s = program.stages.size(); s-- > 0;) {
    if (program.stages[s].nests.empty()) continue;
    const std::optional<RowStages> rows = RowStagesOf(program, links, s);
    if (!rows.has_value()) continue;
    UseRows(*rows, Joined(*rows, program, s, workgroup), program, s);
    ++joined;
  }
  DropEmptyStages(program);
  return joined;
}

// How many kernels are left.
std::string ByRows(const std::string& body, int64_t workgroup = 64) {
  return KernelsOf(body, [&](Program& program) { JoinAll(program, workgroup); });
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

// Results in the memory of operands: which are, that networks compute what the reference does, and
// that a session takes no file in which one is that must not be.
#include "targets/vulkan/artifact/in_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::vulkan {
namespace {

// How many results there are in the place of operands; otherwise what went wrong.
std::string PlacedIn(const std::string& body) {
  std::string placed;
  const std::string kernels = KernelsOf(body, [&](Program& program) {
    const auto views = [&] {
      return std::count_if(program.tensors.begin(), program.tensors.end(),
                           [](const Tensor& tensor) { return tensor.kind == Tensor::kView; });
    };
    const auto before = views();
    PlaceResults(program);
    placed = absl::StrCat(views() - before);
  });
  return kernels == "3" ? placed : kernels;
}

// %3 goes around two products, whose result it is added to: ROWS by COLUMNS.
constexpr char kAround[] =
    "input %0 \"x\" : f32[ROWS,7]\ninput %1 \"w\" : f32[7,COLUMNS]\n"
    "input %2 \"v\" : f32[COLUMNS,COLUMNS]\n"
    "%3 = core.MatMul(%0, %1) : f32[ROWS,COLUMNS]\n"
    "%4 = core.MatMul(%3, %2) : f32[ROWS,COLUMNS]\n"
    "%5 = core.MatMul(%4, %2) : f32[ROWS,COLUMNS]\n";

std::string Around(int rows, int columns, const std::string& rest) {
  return absl::StrReplaceAll(absl::StrCat(kAround, rest),
                             {{"ROWS", absl::StrCat(rows)}, {"COLUMNS", absl::StrCat(columns)}});
}

constexpr char kSum[] = "%6 = core.Add(%5, %3) : f32[ROWS,COLUMNS]\noutput \"y\" = %6\n";
constexpr char kTransposed[] =
    "%6 = core.Transpose(%3) {perm=[1,0]} : f32[COLUMNS,ROWS]\n"
    "%7 = core.Add(%5, %6) : f32[ROWS,COLUMNS]\noutput \"y\" = %7\n";

TEST(InPlace, ASumLiesWhereTheBranchAroundDid) { EXPECT_EQ(PlacedIn(Around(16, 32, kSum)), "1"); }

// The last tile ends where the axis does: two invocations compute the same elements.
TEST(InPlace, NotWhereTilesOverlap) {
  EXPECT_EQ(PlacedIn(Around(16, 9, kSum)), "0");
  EXPECT_EQ(PlacedIn(Around(9, 32, kSum)), "0");
}

TEST(InPlace, NotWhereItIsReadElsewhereOrLater) {
  EXPECT_EQ(PlacedIn(Around(16, 16, kTransposed)), "0");
  EXPECT_EQ(PlacedIn(Around(16, 32, absl::StrCat(kSum, "output \"z\" = %3\n"))), "0");
  // The product reads whole rows.
  EXPECT_EQ(
      PlacedIn(Around(16, 32, "%6 = core.Add(%5, %4) : f32[ROWS,COLUMNS]\noutput \"y\" = %6\n")),
      "0");
}

TEST(InPlace, InputsStayAsTheyAre) {
  EXPECT_EQ(PlacedIn("input %0 \"x\" : f32[16,32]\ninput %1 \"v\" : f32[32,32]\n"
                     "%2 = core.MatMul(%0, %1) : f32[16,32]\n"
                     "%3 = core.MatMul(%2, %1) : f32[16,32]\n"
                     "%4 = core.MatMul(%3, %1) : f32[16,32]\n"
                     "%5 = core.Add(%4, %0) : f32[16,32]\noutput \"y\" = %5\n"),
            "0");
}

// What is put there against the rule is no file that runs.
TEST(InPlace, ASessionLooksAtTheRule) {
  for (const std::string& body : {Around(16, 9, kSum), Around(16, 16, kTransposed),
                                  Around(16, 32, absl::StrCat(kSum, "output \"z\" = %3\n"))}) {
    const std::string said = KernelsOf(body, [](Program& program) {
      const auto target = [&](const Stage& stage) {
        return program.StorageOf(stage.nests.front().target.index);
      };
      const int operand = target(program.stages.front());
      Tensor& result = program.tensors[static_cast<size_t>(target(program.stages.back()))];
      result.kind = Tensor::kView;
      result.viewed = operand;
    });
    EXPECT_TRUE(absl::StrContains(said, "in the same memory")) << body << said;
  }
}

}  // namespace
}  // namespace tessera::vulkan

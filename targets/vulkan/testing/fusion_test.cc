// What becomes one kernel and what does not, of networks as text, which compute what the reference
// does.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::vulkan {
namespace {

constexpr char kProduct[] =
    "input %0 \"x\" : f32[5,7]\ninput %1 \"w\" : f32[7,9]\n%2 = core.MatMul(%0, %1) : f32[5,9]\n";

// The sum is read twice at one place, and taken once.
TEST(Fusion, ASumAndAnActivationThatReadsItTwiceAreOneKernel) {
  EXPECT_EQ(KernelsOf(absl::StrCat(kProduct,
                                   "%3 = core.Sigmoid(%2) : f32[5,9]\n"
                                   "%4 = core.Mul(%2, %3) : f32[5,9]\noutput \"y\" = %4\n")),
            "1");
  EXPECT_EQ(KernelsOf(absl::StrCat(kProduct,
                                   "%3 = core.HardSwish(%2) : f32[5,9]\n"
                                   "output \"y\" = %3\n")),
            "1");
}

// At two places it would be taken twice.
TEST(Fusion, ASumThatIsReadAtTwoPlacesIsKept) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[5,7]\ninput %1 \"w\" : f32[7,5]\n"
                      "%2 = core.MatMul(%0, %1) : f32[5,5]\n"
                      "%3 = core.Transpose(%2) {perm=[1,0]} : f32[5,5]\n"
                      "%4 = core.Mul(%2, %3) : f32[5,5]\noutput \"y\" = %4\n"),
            "2");
}

// Scale and shift of a value that three read: each computes them again, and nothing is written
// between.
TEST(Fusion, WhatIsCheapIsComputedAgain) {
  const std::string scaled =
      "input %0 \"x\" : f32[4,6,8]\ninput %1 \"s\" : f32[6,1]\ninput %2 \"b\" : f32[6,1]\n"
      "%3 = core.Mul(%0, %1) : f32[4,6,8]\n%4 = core.Add(%3, %2) : f32[4,6,8]\n";
  const std::string readers =
      "%6 = core.Sin(%5) : f32[4,6,8]\n%7 = core.Tanh(%5) : f32[4,6,8]\n%8 = core.Exp(%5) : "
      "f32[4,6,8]\noutput \"a\" = %6\noutput \"b\" = %7\noutput \"c\" = %8\n";
  EXPECT_EQ(KernelsOf(absl::StrCat(scaled, "%5 = core.Relu(%4) : f32[4,6,8]\n", readers)), "3");
  // An error function takes longer than to be read.
  EXPECT_EQ(KernelsOf(absl::StrCat(scaled, "%5 = core.Erf(%4) : f32[4,6,8]\n", readers)), "4");
  // Two tensors of that size would be read for one.
  EXPECT_EQ(KernelsOf(absl::StrCat("input %0 \"x\" : f32[4,6,8]\ninput %1 \"z\" : f32[4,6,8]\n"
                                   "%5 = core.Add(%0, %1) : f32[4,6,8]\n",
                                   readers)),
            "4");
}

// The mean of squares squares on the way, and a product of matrices does not.
TEST(Fusion, RowsAreMadeWhereTheyAreSummed) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[6,40]\n%1 = core.Exp(%0) : f32[6,40]\n"
                      "%2 = core.ReduceSum(%1) {axes=[1]} : f32[6,1]\n"
                      "output \"y\" = %2\n"),
            "1");
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[6,40]\ninput %1 \"w\" : f32[40,6]\n"
                      "%2 = core.Exp(%0) : f32[6,40]\n%3 = core.MatMul(%2, %1) : f32[6,6]\n"
                      "output \"y\" = %3\n"),
            "2");
}

// What is joined with nothing is all of the result, and each of the three writes that.
TEST(Fusion, PartsThatAreNothingWriteTheSameTensor) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[4,6]\ninput %1 \"e\" : f32[4,0]\n"
                      "%2 = core.Exp(%0) : f32[4,6]\n"
                      "%3 = core.Concat(%1, %2, %1) {axis=1} : f32[4,6]\noutput \"y\" = %3\n"),
            "3");
}

// Of a small number beside a large one little is left, and what is left is seen: a driver that
// takes the large one off before it is added, or whose logarithm is a rough one near 1, shows.
TEST(Fusion, WhatRoundingTakesIsTaken) {
  const std::string small =
      "input %0 \"x\" : f32[64]\ninput %1 \"k\" : f32[64]\n%2 = ir.Constant [1e-7] : f32[1]\n"
      "%3 = core.Mul(%0, %2) : f32[64]\n";
  const std::string shown = "%6 = core.Div(%5, %2) : f32[64]\noutput \"y\" = %6\n";
  EXPECT_EQ(KernelsOf(absl::StrCat(small,
                                   "%4 = core.Sub(%3, %1) : f32[64]\n"
                                   "%5 = core.Add(%4, %1) : f32[64]\n",
                                   shown)),
            "1");
  EXPECT_EQ(KernelsOf(absl::StrCat(small,
                                   "%7 = ir.Constant [1] : f32[1]\n"
                                   "%4 = core.Add(%3, %7) : f32[64]\n"
                                   "%5 = core.Log(%4) : f32[64]\n",
                                   shown)),
            "1");
}

// A tensor has one name: what is an input too, or another output, is copied.
TEST(Fusion, EachOutputIsATensorOfItsOwn) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[4,6]\n%1 = core.Exp(%0) : f32[4,6]\n"
                      "output \"a\" = %1\noutput \"b\" = %1\noutput \"c\" = %0\n"),
            "3");
}

// Each reads the one before it twice, so that bodies double: they end somewhere.
TEST(Fusion, BodiesDoNotDoubleForEver) {
  std::string text = "input %0 \"x\" : f32[64]\n";
  constexpr int kLayers = 60;
  for (int i = 0; i < kLayers; ++i)
    absl::StrAppend(&text, "%", 2 * i + 1, " = core.Sigmoid(%", 2 * i, ") : f32[64]\n%", 2 * i + 2,
                    " = core.Mul(%", 2 * i, ", %", 2 * i + 1, ") : f32[64]\n");
  absl::StrAppend(&text, "output \"y\" = %", 2 * kLayers, "\n");
  const std::string kernels = KernelsOf(text);
  int count = 0;
  ASSERT_TRUE(absl::SimpleAtoi(kernels, &count)) << kernels;
  EXPECT_GT(count, 1);
  EXPECT_LT(count, kLayers);
}

}  // namespace
}  // namespace tessera::vulkan

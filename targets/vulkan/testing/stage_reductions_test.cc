// Reductions of many terms by several stages, against the reference; and what a driver that ends
// long loops is not given.
#include "targets/vulkan/program/stage_reductions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::vulkan {
namespace {

std::string Reduced(const std::string& op, const std::string& shape, const std::string& axes,
                    const std::string& result, int64_t most_steps) {
  return KernelsOf(absl::StrCat("input %0 \"x\" : f32[", shape, "]\n%1 = core.", op, "(%0) {axes=[",
                                axes, "]} : f32[", result, "]\noutput \"y\" = %1\n"),
                   {}, most_steps);
}

TEST(StageReductions, AlongTheLastAxisFirst) {
  for (const char* op : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean"}) {
    EXPECT_EQ(Reduced(op, "3,9,11", "1,2", "3,1,1", 0), "1") << op;
    EXPECT_EQ(Reduced(op, "3,9,11", "1,2", "3,1,1", 99), "1") << op;
    EXPECT_EQ(Reduced(op, "3,9,11", "1,2", "3,1,1", 98), "2") << op;
    EXPECT_EQ(Reduced(op, "5,9,11", "0,1,2", "1,1,1", 20), "3") << op;
  }
}

TEST(StageReductions, OfOneAxisByParts) {
  for (const int64_t length : {64, 65, 97, 100, 127, 128}) {
    EXPECT_EQ(Reduced("ReduceMax", absl::StrCat("2,", length), "1", "2,1", 20), "2") << length;
    EXPECT_EQ(Reduced("ReduceMean", absl::StrCat("2,", length), "1", "2,1", 20), "2") << length;
  }
  EXPECT_EQ(Reduced("ReduceMin", "2,300", "1", "2,1", 10), "3");
}

// What would be written outnumbers what is read.
TEST(StageReductions, ProductsStay) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f32[6,70]\ninput %1 \"w\" : f32[70,5]\n"
                      "%2 = core.MatMul(%0, %1) : f32[6,5]\noutput \"y\" = %2\n",
                      {}, 20),
            "1");
}

TEST(StageReductions, LongLoopsAreRefusedByTheDriverThatEndsThem) {
  EXPECT_EQ(Reduced("ReduceMax", "70001", "0", "1", 65535), "2");
  EXPECT_THAT(Reduced("ReduceMax", "70001", "0", "1", 0),
              ::testing::HasSubstr("an invocation goes round loops 70001 times, and this driver "
                                   "leaves them after 65535"));
}

std::string GreatestPower(int64_t terms, int64_t most_steps) {
  return KernelsOf(
      absl::StrCat("input %0 \"x\" : f32[", terms, "]\ninput %1 \"y\" : f32[", terms,
                   "]\n%2 = core.Abs(%0) : f32[", terms, "]\n%3 = core.Pow(%2, %1) : f32[", terms,
                   "]\n%4 = core.ReduceMax(%3) {axes=[0]} : f32[1]\noutput \"z\" = "
                   "%4\n"),
      {}, most_steps);
}

// Each term is a loop too, of as many rounds as a whole exponent has bits.
TEST(StageReductions, RoundsOfFunctionsCount) {
  EXPECT_EQ(GreatestPower(8000, 65535), "1");
  EXPECT_EQ(GreatestPower(10000, 65535), "2");
  EXPECT_THAT(GreatestPower(10000, 0),
              ::testing::HasSubstr("an invocation goes round loops 72500 times"));
}

// Many rounds for each term are gone beforehand, however many terms there are.
TEST(StageReductions, RemaindersAreTakenBeforeTheyAreSummed) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f64[400]\ninput %1 \"y\" : f64[400]\n"
                      "%2 = core.Mod(%0, %1) {truncate=true} : f64[400]\n"
                      "%3 = core.ReduceSum(%2) {axes=[0]} : f64[1]\noutput \"z\" = %3\n"),
            "2");
}

// More rounds than the driver goes, if exponentials were loops that nobody counts.
TEST(StageReductions, DoublesAreSummedToTheEnd) {
  EXPECT_EQ(KernelsOf("input %0 \"x\" : f64[2,8000]\n%1 = core.Exp(%0) : f64[2,8000]\n"
                      "%2 = core.ReduceSum(%1) {axes=[1]} : f64[2,1]\noutput \"z\" = %2\n",
                      {}, 65535),
            "1");
}

}  // namespace
}  // namespace tessera::vulkan

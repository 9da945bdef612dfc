// What `tune` chooses from computes the same: every shape of tiles, at sizes that they fit, that
// they do not divide, and that are shorter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::vulkan {
namespace {

void HoldsWithEveryTiling(const std::string& body) {
  for (const Tiling& tiling : Tilings()) {
    const std::string kernels = KernelsOf(body, [&](Program& program) {
      for (Stage& stage : program.stages) stage.tiling = tiling;
    });
    EXPECT_TRUE(!kernels.empty() && std::isdigit(static_cast<unsigned char>(kernels[0])) != 0)
        << body << "by " << tiling.lengths[0] << ", " << tiling.lengths[1] << ", "
        << tiling.lengths[2] << ": " << kernels;
  }
}

TEST(Tilings, OfProducts) {
  for (const char* sizes :
       {"1 16 8", "5 7 8", "8 3 1", "9 4 17", "16 5 24", "9 36 5", "16 64 12"}) {
    int m, k, n;
    ASSERT_EQ(std::sscanf(sizes, "%d %d %d", &m, &k, &n), 3);
    HoldsWithEveryTiling(
        absl::StrCat("input %0 \"a\" : f32[", m, ",", k, "]\ninput %1 \"b\" : f32[", k, ",", n,
                     "]\n%2 = core.MatMul(%0, %1) : f32[", m, ",", n, "]\noutput \"y\" = %2\n"));
  }
}

// Terms that are neighbours in memory, four at a time: of the last axis, also where others follow
// it in the reduction, and where what is read may lie outside.
TEST(Tilings, OfTermsSideBySide) {
  const auto holds = [](const std::string& body) {
    HoldsWithEveryTiling(body);
    EXPECT_EQ(KernelsOf(body,
                        [&](Program& program) {
                          const auto kernel = KernelOf(program, program.stages.front());
                          ASSERT_TRUE(kernel.ok()) << kernel.status();
                          EXPECT_THAT(kernel->glsl, ::testing::HasSubstr(" += 4)"));
                        }),
              "1");
  };
  holds(
      "input %0 \"a\" : f32[5,200]\ninput %1 \"b\" : f32[200,7]\n"
      "%2 = core.MatMul(%0, %1) : f32[5,7]\noutput \"y\" = %2\n");
  holds(
      "input %0 \"x\" : f32[3,5,200]\n"
      "%1 = core.ReduceSum(%0) {axes=[2]} : f32[3,5,1]\noutput \"y\" = %1\n");
  holds(
      "input %0 \"x\" : f32[1,4,5,200]\ninput %1 \"w\" : f32[6,200,1,3]\n"
      "%2 = core.Transpose(%0) {perm=[0,3,1,2]} : f32[1,200,4,5]\n"
      "%3 = core.Conv(%2, %1) {strides=[1,2], dilations=[1,1], pads_begin=[0,0], pads_end=[0,0], "
      "group=1} : "
      "f32[1,6,4,2]\noutput \"y\" = %3\n");
}

// Every entry is compared with every other: a row without a second side.
TEST(Tilings, OfRowsThatAreComparedWithThemselves) {
  for (const int length : {3, 4, 8, 12, 16, 24, 40}) {
    HoldsWithEveryTiling(absl::StrCat("input %0 \"x\" : f32[", length,
                                      "]\n%1, %2 = core.TopK(%0) {k=2, axis=0, largest=false} : "
                                      "f32[2], i64[2]\noutput \"y\" = %1\noutput \"i\" = %2\n"));
  }
}

}  // namespace
}  // namespace tessera::vulkan

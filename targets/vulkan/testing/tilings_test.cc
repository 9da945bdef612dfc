// What `tune` chooses from computes the same: every shape of tiles, at sizes that they fit, that
// they do not divide, and that are shorter.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
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
  for (const char* sizes : {"1 16 8", "5 7 8", "8 3 1", "9 4 17", "16 5 24"}) {
    int m, k, n;
    ASSERT_EQ(std::sscanf(sizes, "%d %d %d", &m, &k, &n), 3);
    HoldsWithEveryTiling(
        absl::StrCat("input %0 \"a\" : f32[", m, ",", k, "]\ninput %1 \"b\" : f32[", k, ",", n,
                     "]\n%2 = core.MatMul(%0, %1) : f32[", m, ",", n, "]\noutput \"y\" = %2\n"));
  }
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

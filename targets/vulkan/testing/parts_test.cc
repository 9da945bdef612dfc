// Along which sizes networks are run by parts, by what is declared of these.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/runner.h"
#include "targets/vulkan/build_program.h"
#include "targets/vulkan/compile.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

// The steps of a convolution of images of H by W along each of these.
std::string StepsOf(const std::string& rows, const std::string& columns) {
  static const bool registered = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    RegisterOperators();
    return true;
  }();
  (void)registered;
  auto graph = ir::Parse(
      absl::StrCat("ir 1\nsymbol H : ", rows, " \"\"\nsymbol W : ", columns,
                   " \"\"\ninput %0 \"x\" : f32[1,3,H,W]\ninput %1 \"w\" : f32[4,3,3,3]\n"
                   "%2 = core.Conv(%0, %1) {strides=[1,1], dilations=[1,1], pads_begin=[1,1], "
                   "pads_end=[1,1], group=1} : f32[1,4,H,W]\n%3 = core.Relu(%2) : f32[1,4,H,W]\n"
                   "output \"y\" = %3\nobligations 0\n"));
  if (!graph.ok()) return std::string(graph.status().message());
  std::vector<passes::PassReport> reports;
  const absl::Status status =
      passes::Run(**graph, VulkanPipeline({}), {.print_on_failure = false}, reports);
  if (!status.ok()) return std::string(status.message());
  Axes axes((*graph)->context());
  Parts parts;
  parts.arena_limit = 40 << 10;
  const auto program = ProgramOf(**graph, axes, false, 0, parts);
  if (!program.ok()) return std::string(program.status().message());
  std::string steps;
  for (const Reach& reach : parts.along)
    absl::StrAppend(&steps, reach.symbol, " by ", reach.step, ", ");
  return steps;
}

TEST(PartsTest, SizesMayBeMultiples) {
  EXPECT_EQ(StepsOf("1..4096", "1..4096"), "H by 1, W by 1, ");
  EXPECT_EQ(StepsOf("2..4096 mod 2 = 0", "1..4096"), "H by 2, W by 1, ");
  EXPECT_EQ(StepsOf("8..4096 mod 8 = 0", "6..4096 mod 6 = 0"), "H by 8, W by 6, ");
  // What is left over is no part of all of them.
  EXPECT_EQ(StepsOf("3..4096 mod 2 = 1", "1..4096"), "W by 1, ");
}

}  // namespace
}  // namespace tessera::vulkan

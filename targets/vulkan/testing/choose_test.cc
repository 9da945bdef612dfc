// Whether a kernel takes the place of several, by what each of them took.
#include "targets/vulkan/tuning/choose.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/registry.h"
#include "ir/text.h"
#include "passes/runner.h"
#include "targets/vulkan/build_program.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/selection/shaders.h"
#include "targets/vulkan/tuning/database.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

constexpr char kAttention[] =
    "ir 1\ninput %0 \"q\" : f32[2,64,16]\ninput %1 \"k\" : f32[2,16,64]\n"
    "input %2 \"v\" : f32[2,64,16]\n%3 = core.MatMul(%0, %1) : f32[2,64,64]\n"
    "%4 = core.Softmax(%3) {axis=2} : f32[2,64,64]\n%5 = core.MatMul(%4, %2) : f32[2,64,16]\n"
    "output \"y\" = %5\nobligations 0\n";
const DeviceName kDevice = {"device", "driver"};

class ChooseTest : public testing::Test {
 protected:
  void SetUp() override {
    static const bool registered = [] {
      ir::Registry::Global().Add(ops::CoreOps());
      RegisterOperators();
      return true;
    }();
    (void)registered;
    auto graph = ir::Parse(kAttention);
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
    std::vector<passes::PassReport> reports;
    ASSERT_TRUE(
        passes::Run(*graph_, VulkanPipeline({}), {.print_on_failure = false}, reports).ok());
    axes_ = std::make_unique<Axes>(graph_->context());
    Parts parts;
    auto program = ProgramOf(*graph_, *axes_, false, 0, parts);
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *std::move(program);
    const Links links(program_);
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      uses_.push_back(ShaderUses(program_, links, s, *axes_, KnownProfiles().back()));
      for (const ShaderUse& use : uses_.back()) {
        if (!use.stages.empty() && several_.empty()) several_ = use.stages;
        if (!use.stages.empty()) last_ = s;
      }
    }
    ASSERT_FALSE(several_.empty());
  }

  void Set(const Program& program, const Stage& stage, double seconds) {
    const auto kernel = KernelOf(program, stage);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    database_.Set(kDevice, KernelKey(kernel->glsl), "", seconds);
  }
  void SetTogether(double seconds) {
    for (const ShaderUse& use : uses_[last_]) {
      if (use.stages.empty()) continue;
      Program merged = program_;
      UseShader(use, merged, last_);
      Set(merged, merged.stages[last_], seconds);
      break;
    }
  }
  // How many kernels are left.
  size_t Chosen(Settled& settled) {
    auto several = ChooseSeveral(program_, uses_, database_, kDevice);
    EXPECT_TRUE(several.ok()) << several.status();
    settled = *std::move(several);
    DropEmptyStages(program_);
    return program_.stages.size();
  }

  std::unique_ptr<ir::Graph> graph_;
  std::unique_ptr<Axes> axes_;
  Program program_;
  UsesByStage uses_;
  std::vector<size_t> several_;  // that go with the last one
  size_t last_ = 0;
  TuneDatabase database_;
};

TEST_F(ChooseTest, OneThatTakesLessThanAllTogetherIsTaken) {
  const size_t before = program_.stages.size();
  for (const Stage& stage : program_.stages) Set(program_, stage, 1);
  SetTogether(1.5);
  Settled settled;
  EXPECT_EQ(Chosen(settled), before - several_.size());
  EXPECT_EQ(settled.together, several_.size() + 1);
}

TEST_F(ChooseTest, OneThatTakesMoreIsNot) {
  const size_t before = program_.stages.size();
  for (const Stage& stage : program_.stages) Set(program_, stage, 1);
  SetTogether(static_cast<double>(before) + 1);
  Settled settled;
  EXPECT_EQ(Chosen(settled), before);
  EXPECT_TRUE(settled.apart[last_]);
  // Nor by the profile.
  ChooseShaders(program_, *axes_, graph_->context(), KnownProfiles().back(), false, settled.apart);
  EXPECT_EQ(program_.stages.size(), before);
}

TEST_F(ChooseTest, WithoutTimesOfAllNothingIsSettled) {
  const size_t before = program_.stages.size();
  SetTogether(1e-9);
  Settled settled;
  EXPECT_EQ(Chosen(settled), before);
  EXPECT_FALSE(settled.apart[last_]);
}

}  // namespace
}  // namespace tessera::vulkan

// Kernels that are written by hand, on a device, against what their definitions compute: each with
// every choice of constants, at sizes that end within tiles and beyond them, and in the place of
// the stages of core definitions' examples that they can compute.
#include "targets/vulkan/selection/shaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "targets/vulkan/artifact/memory_plan.h"
#include "targets/vulkan/executor.h"
#include "targets/vulkan/kernels/shader_kernel.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/program/shader_pattern.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::ops {
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

constexpr double kTolerance = 1e-4;  // sums are taken in f32

// That of tests' device, and products of matrices: by its instruction if it has one, otherwise by
// arithmetic, so that all but the instruction is run on any device.
const DeviceProfile& Lavapipe() {
  static const DeviceProfile* const kProfile = [] {
    const auto& profiles = KnownProfiles();
    auto* const profile = new DeviceProfile(
        *std::find_if(profiles.begin(), profiles.end(),
                      [](const DeviceProfile& one) { return one.name == "lavapipe"; }));
    profile->matrix = profile->multiply;
    tvk_device* const device = tvk_device_open(nullptr, nullptr);
    profile->imitates_matrices =
        device == nullptr || (tvk_device_features(device) & TVK_COOPERATIVE_MATRIX) == 0;
    if (device != nullptr) tvk_device_close(device);
    std::cout << "products of matrices are computed by "
              << (profile->imitates_matrices ? "arithmetic" : "the device's instruction") << "\n";
    return profile;
  }();
  return *kProfile;
}

// Factors of matrices are f16.
double ToleranceOf(const ir::Shader& shader) { return shader.matrices ? 3e-2 : kTolerance; }

// Of programs that may take what rounds operands.
absl::Status Compile(const ops::OpExamples& op, const ops::Example& example, Compiled& compiled) {
  const absl::Status status = CompileExample(op, example, compiled);
  compiled.program.half = true;
  return status;
}

// A call of the shader's op with operands of these sizes.
ops::Example CallOf(const ir::Shader& shader, const std::map<std::string_view, int64_t>& sizes) {
  ops::Example example;
  for (const ir::ShaderOperand& operand : shader.operands) {
    ops::Literal literal;
    literal.random = true;
    for (std::string_view dim : operand.dims) literal.shape.push_back(sizes.at(dim));
    example.operands.push_back(std::move(literal));
  }
  return example;
}

TEST(ShadersTest, ComputeWhatTheirDefinitionsSay) {
  RegisterAll();
  ASSERT_FALSE(KnownShaders().empty());
  std::mt19937 random(7);
  for (const ir::Shader& shader : KnownShaders()) {
    const ops::OpExamples op{
        std::string(shader.dialect), std::string(shader.op), "", false, {}, {}, {}};
    const ShaderPattern* const pattern = PatternOf(shader);
    ASSERT_NE(pattern, nullptr) << shader.op;
    const bool of_several = !pattern->scratch.empty();
    size_t count = 0;
    for (size_t round = 0;; ++round) {
      std::map<std::string_view, int64_t> sizes;
      std::string text;
      for (std::string_view size : shader.sizes) {
        constexpr int64_t kSizes[] = {1, 2, 7, 31, 33, 64, 70, 129};
        sizes[size] = kSizes[random() % std::size(kSizes)];
        // Where an axis has one position, statements become one another's.
        if (of_several) sizes[size] = std::max<int64_t>(sizes[size], 2);
        absl::StrAppend(&text, " ", std::string(size), "=", sizes[size]);
      }
      Compiled compiled;
      const absl::Status status = Compile(op, CallOf(shader, sizes), compiled);
      ASSERT_TRUE(status.ok()) << shader.op << text << ": " << status;
      const size_t last = compiled.program.stages.size() - 1;
      Axes axes(compiled.graph->context());
      std::vector<ShaderUse> uses =
          ShaderUses(compiled.program, Links(compiled.program), last, axes, Lavapipe());
      std::erase_if(uses, [&](const ShaderUse& use) { return use.shader != &shader; });
      ASSERT_FALSE(uses.empty()) << shader.op << text << " is not found in its own definition";
      // Twice each choice of constants, each time with other sizes.
      if (round == 2 * uses.size()) break;
      UseShader(uses[round % uses.size()], compiled.program, last);
      DropEmptyStages(compiled.program);
      ASSERT_EQ(compiled.program.stages.size(), 1U);
      EXPECT_EQ(RunAndCompare(compiled, ToleranceOf(shader)), "")
          << NameOf(uses[round % uses.size()]) << text;
      ++count;
    }
    EXPECT_GE(count, 2U);
  }
}

// What lies between statements is in no memory, unless something else wants it.
TEST(ShadersTest, KeepWhatOthersRead) {
  RegisterAll();
  size_t count = 0;
  for (const ir::Shader& shader : KnownShaders()) {
    const ShaderPattern* const pattern = PatternOf(shader);
    if (pattern->scratch.empty()) continue;
    std::map<std::string_view, int64_t> sizes;
    for (std::string_view size : shader.sizes) sizes[size] = 8;
    for (size_t axis : pattern->scratch.front().axes) {
      const std::string name = pattern->extents[axis].ToString();
      for (auto& [size, value] : sizes) value = size == name ? 40 : value;
    }
    const ops::OpExamples op{
        std::string(shader.dialect), std::string(shader.op), "", false, {}, {}, {}};
    Compiled compiled;
    ASSERT_TRUE(Compile(op, CallOf(shader, sizes), compiled).ok());
    Program& program = compiled.program;
    const size_t last = program.stages.size() - 1;
    ASSERT_EQ(last, pattern->scratch.size());
    Axes axes(compiled.graph->context());
    for (size_t s = 0; s < last; ++s) {
      Program wanted = program;
      wanted.outputs.push_back(program.stages[s].nests.front().target.index);
      for (const ShaderUse& use : ShaderUses(wanted, Links(wanted), last, axes, Lavapipe()))
        EXPECT_NE(use.shader, &shader) << shader.op << " leaves out " << pattern->scratch[s].name;
      // A stage that reads it too.
      Program read = program;
      Stage other = program.stages[s + 1];
      Tensor result = program.tensors[static_cast<size_t>(other.nests.front().target.index)];
      other.nests.front().target = InProgram(static_cast<int>(read.tensors.size()));
      read.tensors.push_back(std::move(result));
      read.stages.push_back(std::move(other));
      for (const ShaderUse& use : ShaderUses(read, Links(read), last, axes, Lavapipe()))
        EXPECT_NE(use.shader, &shader) << shader.op << " leaves out " << pattern->scratch[s].name;
    }
    const solver::Expr before = PlanArena(program, compiled.graph->context()).bytes;
    std::vector<ShaderUse> uses = ShaderUses(program, Links(program), last, axes, Lavapipe());
    ASSERT_FALSE(uses.empty());
    UseShader(uses.front(), program, last);
    DropEmptyStages(program);
    const solver::Expr after = PlanArena(program, compiled.graph->context()).bytes;
    EXPECT_LT(after.Constant().value(), before.Constant().value()) << shader.op;
    ++count;
  }
  EXPECT_GE(count, 1U);
}

// Every example of a core definition with a stage that a shader computes, by it.
TEST(ShadersTest, ComputeStagesOfOtherDefinitions) {
  std::map<std::string, size_t> ops_of;  // by shader: examples
  size_t turn = 0;
  for (const ops::OpExamples& op : ops::CoreExamples()) {
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      Compiled compiled;
      if (!Compile(op, example, compiled).ok()) continue;
      Axes axes(compiled.graph->context());
      std::string names;
      double tolerance = kTolerance;
      for (size_t s = compiled.program.stages.size(); s-- > 0;) {
        if (compiled.program.stages[s].nests.empty()) continue;
        std::vector<ShaderUse> uses =
            ShaderUses(compiled.program, Links(compiled.program), s, axes, Lavapipe());
        if (uses.empty()) continue;
        // Those of several stages are few: they come first where there are any.
        const bool several = std::any_of(uses.begin(), uses.end(),
                                         [](const auto& use) { return !use.stages.empty(); });
        if (several) std::erase_if(uses, [](const auto& use) { return use.stages.empty(); });
        const ShaderUse& use = uses[turn++ % uses.size()];
        absl::StrAppend(&names, " ", NameOf(use));
        tolerance = std::max(tolerance, ToleranceOf(*use.shader));
        ++ops_of[std::string(use.shader->op)];
        UseShader(use, compiled.program, s);
      }
      DropEmptyStages(compiled.program);
      if (names.empty()) continue;
      EXPECT_EQ(RunAndCompare(compiled, tolerance), "")
          << op.op << " line " << example.line << names;
    }
  }
  // Several statements stand one after the other in few definitions.
  for (const ir::Shader& shader : KnownShaders())
    EXPECT_GT(ops_of[std::string(shader.op)], PatternOf(shader)->scratch.empty() ? 5U : 0U)
        << shader.op;
}

}  // namespace
}  // namespace tessera::vulkan

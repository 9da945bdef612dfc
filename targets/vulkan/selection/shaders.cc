#include "targets/vulkan/selection/shaders.h"

#include <optional>
#include <string>
#include <utility>

#include "targets/vulkan/kernels/shader_kernel.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/program/rows.h"
#include "targets/vulkan/selection/times.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const ir::Shader> VulkanShaders();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

// Powers of two.
constexpr int64_t kRowWorkgroups[] = {32, 64, 128, 256};

// All combinations of the values of constants.
std::vector<std::vector<int64_t>> Combinations(const ir::Shader& shader) {
  std::vector<std::vector<int64_t>> all(1);
  for (const ir::ShaderConstant& constant : shader.constants) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& one : all) {
      for (int64_t value : constant.values) {
        longer.push_back(one);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Against the kernels that are printed from the stage and those that the shader takes with it.
std::optional<double> TimeSaved(const Program& program, size_t stage, const ShaderUse& use,
                                const DeviceProfile& profile, const solver::Assignment& sizes) {
  std::vector<size_t> stages = use.stages;
  stages.push_back(stage);
  double printed = 0;
  for (size_t s : stages) {
    const std::optional<double> time = PrintedTime(program.stages[s], profile, sizes);
    if (!time.has_value()) return std::nullopt;
    printed += *time;
  }
  const std::optional<double> time = ShaderTime(use, profile, sizes);
  return time.has_value() ? std::optional<double>(printed - *time) : std::nullopt;
}

}  // namespace

absl::Span<const ir::Shader> KnownShaders() { return ops::VulkanShaders(); }

std::vector<ShaderUse> ShaderUses(const Program& program, const Links& links, size_t stage,
                                  Axes& axes, const DeviceProfile& profile) {
  std::vector<ShaderUse> uses;
  for (const ir::Shader& shader : KnownShaders()) {
    // Factors of matrices lose what storing in f16 loses, which the user must have asked for.
    if (shader.matrices && (!program.half || profile.matrix == 0)) continue;
    const std::optional<ShaderUse> match = MatchShader(shader, program, links, stage, axes);
    if (!match.has_value()) continue;
    for (std::vector<int64_t>& constants : Combinations(shader)) {
      ShaderUse use = *match;
      use.constants = std::move(constants);
      use.imitates_matrices = profile.imitates_matrices;
      if (WorkgroupOf(use) >= 1 && WorkgroupOf(use) <= profile.invocations &&
          SharedBytesOf(use) <= profile.shared_bytes)
        uses.push_back(std::move(use));
    }
  }
  return uses;
}

size_t ChooseShaders(Program& program, Axes& axes, const solver::Context& context,
                     const DeviceProfile& profile, bool least_memory,
                     const std::vector<bool>& apart) {
  const solver::Assignment sizes = UsualSizes(program, context);
  Links links(program);
  size_t chosen = 0;
  // Those that read before those that they read: a shader may take these with it.
  for (size_t s = program.stages.size(); s-- > 0;) {
    if (program.stages[s].nests.empty() || program.stages[s].IsSettled()) continue;
    std::optional<ShaderUse> best;
    std::optional<double> most;  // time that is saved
    for (ShaderUse& use : ShaderUses(program, links, s, axes, profile)) {
      if (!apart.empty() && apart[s] && !use.stages.empty() && !least_memory) continue;
      const bool saves_memory = least_memory && !use.stages.empty();
      const std::optional<double> saved = TimeSaved(program, s, use, profile, sizes);
      if (!saved.has_value() || (most.has_value() ? *saved <= *most : *saved <= 0 && !saves_memory))
        continue;
      most = saved;
      best = std::move(use);
    }
    if (!best.has_value()) continue;
    const std::vector<size_t> joined = best->stages;
    UseShader(*std::move(best), program, s);
    links.Join(joined, s);
    ++chosen;
  }
  DropEmptyStages(program);
  return chosen;
}

size_t ChooseRows(Program& program, const solver::Context& context, const DeviceProfile& profile) {
  const solver::Assignment sizes = UsualSizes(program, context);
  const Links links(program);
  size_t chosen = 0;
  for (size_t s = program.stages.size(); s-- > 0;) {
    if (program.stages[s].nests.empty() || program.stages[s].shader.has_value()) continue;
    const std::optional<RowStages> rows = RowStagesOf(program, links, s);
    if (!rows.has_value()) continue;
    std::optional<double> least = PrintedTime(program.stages[s], profile, sizes);
    for (size_t reduction : rows->reductions) {
      const std::optional<double> time = PrintedTime(program.stages[reduction], profile, sizes);
      least = least.has_value() && time.has_value() ? std::optional<double>(*least + *time)
                                                    : std::nullopt;
    }
    std::optional<Stage> best;
    for (const int64_t workgroup : kRowWorkgroups) {
      if (workgroup > profile.invocations ||
          workgroup * int64_t{sizeof(float)} > profile.shared_bytes)
        continue;
      Stage joined = Joined(*rows, program, s, workgroup, profile.shared_bytes);
      const std::optional<double> time = RowsTime(joined, profile, sizes);
      if (!time.has_value() || !least.has_value() || *time >= *least) continue;
      least = time;
      best = std::move(joined);
    }
    if (!best.has_value()) continue;
    UseRows(*rows, *std::move(best), program, s);
    ++chosen;
  }
  DropEmptyStages(program);
  return chosen;
}

}  // namespace tessera::vulkan

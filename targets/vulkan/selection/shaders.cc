#include "targets/vulkan/selection/shaders.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "targets/vulkan/artifact/memory_plan.h"
#include "targets/vulkan/kernels/shader_kernel.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/selection/times.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const ir::Shader> VulkanShaders();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

constexpr int64_t kUsualSize = 256;

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

}  // namespace

absl::Span<const ir::Shader> KnownShaders() { return ops::VulkanShaders(); }

std::vector<ShaderUse> ShaderUses(const Stage& stage, Axes& axes, const DeviceProfile& profile) {
  std::vector<ShaderUse> uses;
  for (const ir::Shader& shader : KnownShaders()) {
    const std::optional<ShaderUse> match = MatchShader(shader, stage, axes);
    if (!match.has_value()) continue;
    for (std::vector<int64_t>& constants : Combinations(shader)) {
      ShaderUse use = *match;
      use.constants = std::move(constants);
      if (WorkgroupOf(use) >= 1 && WorkgroupOf(use) <= profile.invocations &&
          SharedBytesOf(use) <= profile.shared_bytes)
        uses.push_back(std::move(use));
    }
  }
  return uses;
}

size_t ChooseShaders(Program& program, Axes& axes, const solver::Context& context,
                     const DeviceProfile& profile) {
  std::set<std::string> symbols;
  for (const Tensor& tensor : program.tensors) {
    for (const Expr& dim : tensor.dims) {
      for (const std::string& symbol : solver::SymbolsOf(dim)) symbols.insert(symbol);
    }
  }
  const solver::Assignment sizes = SizesNear(context, symbols, kUsualSize);
  size_t chosen = 0;
  for (Stage& stage : program.stages) {
    std::vector<ShaderUse> uses = ShaderUses(stage, axes, profile);
    std::optional<double> least;
    for (ShaderUse& use : uses) {
      const std::optional<double> time = ShaderTime(use, profile, sizes);
      if (!least.has_value()) least = PrintedTime(stage, use, profile, sizes);
      if (!time.has_value() || !least.has_value()) break;
      if (*time >= *least) continue;
      least = time;
      stage.shader = std::move(use);
    }
    chosen += stage.shader.has_value() ? 1 : 0;
  }
  return chosen;
}

}  // namespace tessera::vulkan

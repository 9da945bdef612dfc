#include "targets/vulkan/tuning/variants.h"

#include <algorithm>
#include <iterator>

#include "targets/vulkan/kernels/tiles.h"

namespace tessera::vulkan {

std::vector<Variant> Variants(const std::vector<ShaderUse>& uses) {
  std::vector<Variant> variants;
  for (const Tiling& tiling : Tilings()) variants.push_back({tiling, std::nullopt});
  for (const ShaderUse& use : uses) variants.push_back({{}, use});
  return variants;
}

std::vector<ShaderUse> UsesOf(const std::vector<ShaderUse>& uses, bool several) {
  std::vector<ShaderUse> those;
  std::copy_if(uses.begin(), uses.end(), std::back_inserter(those),
               [&](const ShaderUse& use) { return use.stages.empty() != several; });
  return those;
}

bool AreThere(const Program& program, const std::vector<size_t>& stages) {
  return std::none_of(stages.begin(), stages.end(),
                      [&](size_t stage) { return program.stages[stage].nests.empty(); });
}

Variant VariantOf(const Stage& stage) { return {stage.tiling, stage.shader}; }

void SetVariant(const Variant& variant, Stage& stage) {
  stage.tiling = variant.tiling;
  stage.shader = variant.shader;
}

}  // namespace tessera::vulkan

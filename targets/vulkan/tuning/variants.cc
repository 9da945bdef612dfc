#include "targets/vulkan/tuning/variants.h"

#include "targets/vulkan/kernels/tiles.h"

namespace tessera::vulkan {

std::vector<Variant> Variants(const std::vector<ShaderUse>& uses) {
  std::vector<Variant> variants;
  for (const Tiling& tiling : Tilings()) variants.push_back({tiling, std::nullopt});
  for (const ShaderUse& use : uses) variants.push_back({{}, use});
  return variants;
}

Variant VariantOf(const Stage& stage) { return {stage.tiling, stage.shader}; }

void SetVariant(const Variant& variant, Stage& stage) {
  stage.tiling = variant.tiling;
  stage.shader = variant.shader;
}

}  // namespace tessera::vulkan

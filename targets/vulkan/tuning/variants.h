// The ways in which a stage can be computed.
#ifndef TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_
#define TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_

#include <optional>
#include <vector>

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Shaders that are written by hand, by stage: what ShaderUses() has.
using UsesByStage = std::vector<std::vector<ShaderUse>>;

struct Variant {
  Tiling tiling;
  std::optional<ShaderUse> shader;
};

// Those that are worth a measurement: first the printed kernel as it is taken without one, then
// its other shapes of tiles, then shaders.
std::vector<Variant> Variants(const std::vector<ShaderUse>& uses);

Variant VariantOf(const Stage& stage);
void SetVariant(const Variant& variant, Stage& stage);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_

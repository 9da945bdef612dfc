// The ways in which a stage can be computed.
#ifndef TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_
#define TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_

#include <cstddef>
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

// Of all shaders of a stage those that take stages before it with them, or the others.
std::vector<ShaderUse> UsesOf(const std::vector<ShaderUse>& uses, bool several);

// None of them has become a part of another.
bool AreThere(const Program& program, const std::vector<size_t>& stages);

Variant VariantOf(const Stage& stage);
void SetVariant(const Variant& variant, Stage& stage);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TUNING_VARIANTS_H_

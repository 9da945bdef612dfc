// Which stages a kernel that is written by hand can compute.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_

#include <optional>

#include "codegen/support/shader.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/shader_use.h"

namespace tessera::vulkan {

// How the `ref` of the shader's definition, one nest with a reduction, is the reduction of a stage.
// An operand's element is any scalar that varies with the axes that it is read by and no others: so
// an axis of the definition may be several of the stage (the pixels of images), and an element may
// be what lies outside of an image. What a stage computes from the sum stays with it. Without
// constants; the symbols of flat axes are new. Nothing: the stage is none such, looks at indices
// that are data, or has accesses that are not proved.
std::optional<ShaderUse> MatchShader(const ir::Shader& shader, const Stage& stage, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_

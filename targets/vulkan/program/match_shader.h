// Which stages a kernel that is written by hand can compute.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_

#include <cstddef>
#include <optional>

#include "codegen/support/shader.h"
#include "targets/vulkan/program/links.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/shader_use.h"

namespace tessera::vulkan {

// How the `ref` of the shader's definition is what a stage computes: its last statement, a
// reduction, is that of the stage, and each other one is a stage before it whose results nothing
// else reads. An operand's element is any scalar that varies with the axes that it is read by and
// no others: so an axis of the definition may be several of the stage (the pixels of images), and
// an element may be what lies outside of an image. What stages compute from a sum stays with it.
// Without constants; the symbols of flat axes are new. Nothing: the stage is none such, looks at
// indices that are data, or has accesses that are not proved.
// `links` are those of the program.
std::optional<ShaderUse> MatchShader(const ir::Shader& shader, const Program& program,
                                     const Links& links, size_t stage, Axes& axes);

// The stage by the shader, and with it the stages that are its other statements; these are left
// empty, and what they wrote is in no memory.
void UseShader(ShaderUse use, Program& program, size_t stage);

// Drops stages that are empty.
void DropEmptyStages(Program& program);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_MATCH_SHADER_H_

// Axes of which only parts of some length matter become two.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_SPLIT_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_SPLIT_H_

#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// Where reductions of a stage read by floordiv(o, n) of an axis o, for one number n, the axis
// becomes n * t + k with axes t and k of the stage: what does not read by k is then seen to be the
// same for n neighbours, and is loaded once for all of them. Where n does not divide the axis,
// points lie behind its end (Stage::ends), and are not written.
void SplitAxes(Program& program, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_SPLIT_H_

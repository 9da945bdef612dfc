// Fewer stages: a nest takes the place of the reads of what it computes.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_FUSE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_FUSE_H_

#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// Puts the body of a stage where its result is read, the indices filled in, and drops the stage:
//   what moves elements only (pads, slices, repetitions, broadcasts, transposes) anywhere;
//   element functions where they are read outside of reductions, or once by these (as sums of rows
//   do), if nothing is read more often, or what is made again takes less than to be stored;
//   reductions where each element is read once, so that nothing is computed twice. What copies it
//   into a part of a concatenation is such a reader: the result is then written in place.
// Values stay what they were, bit for bit: nothing is reordered.
void Fuse(Program& program, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_FUSE_H_

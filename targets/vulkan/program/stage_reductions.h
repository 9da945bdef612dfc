// Reductions of many terms become several, one behind the other.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_STAGE_REDUCTIONS_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_STAGE_REDUCTIONS_H_

#include <cstdint>

#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// A reduction that may go round loops more than `most_rounds` times (once for each term, and as
// often as the functions in it do) is computed along its last axis by a stage of its own, which
// writes what its readers reduce along the others; one along a single axis of known length by parts
// of that axis. Where what is written would outnumber what is read (sums of products) nothing
// changes, nor where the length of a single axis is not known.
void StageReductions(Program& program, Axes& axes, int64_t most_rounds);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_STAGE_REDUCTIONS_H_

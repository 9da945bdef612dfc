// Softmax, normalizations and what else needs sums along a row before its elements, as one kernel.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_ROWS_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "targets/vulkan/program/links.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// A stage that reduces nothing, and others, each of reductions for every row of it, that nothing
// but these stages reads.
struct RowStages {
  std::vector<size_t> reductions;  // stages, in their order
  std::vector<size_t> axes;        // of the stage: which of its axes say the row
  // By reduction, by row axis: which axis of its nest that is. Others have one position.
  std::vector<std::vector<size_t>> own;
};

// Nothing: there is no such stage before it. `links` may be those of before others were joined.
std::optional<RowStages> RowStagesOf(const Program& program, const Links& links, size_t stage);

// The axes of the last nest of a stage by rows: those that say the row, and the others.
struct RowAxes {
  std::vector<nests::Axis> rows, others;
};
RowAxes RowAxesOf(const Stage& stage);

// All of them as one, a row of which a workgroup of so many invocations computes, which share so
// many bytes of memory at most.
Stage Joined(const RowStages& rows, const Program& program, size_t stage, int64_t workgroup,
             int64_t shared_bytes);

// Puts that in the place of `stage`; the other stages are left empty, and what they wrote is in no
// memory.
void UseRows(const RowStages& rows, Stage joined, Program& program, size_t stage);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_ROWS_H_

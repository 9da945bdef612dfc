// What an artifact holds, for people and as JSON.
#ifndef TESSERA_TARGETS_NPU_DESCRIBE_H_
#define TESSERA_TARGETS_NPU_DESCRIBE_H_

#include <string>
#include <vector>

#include "targets/npu/artifact/bundle.h"
#include "targets/target.h"

namespace tessera::npu {

// Stages; memory by region; with `operators` every operation with its scales and table.
std::vector<targets::Part> Describe(const Bundle& bundle, const targets::Detail& detail);
std::string JsonText(const Bundle& bundle);

// How the network comes in frames, which it does, and how late its outputs are.
std::string FramesText(const Bundle& bundle);

// Of one stage: each operation with its operands, scales and table; what comes in and leaves; the
// regions of memory.
targets::Rows OperationRows(const Program& program);
targets::Rows EndpointRows(const Program& program);
targets::Rows RegionRows(const Program& program);

// How many operations there are of each kind, over all stages.
targets::Rows CountOperations(const Bundle& bundle, size_t& all);
// One line per region of each program: size, and how near it is to what no plan can do without.
std::vector<std::string> MemoryLines(const Bundle& bundle);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_DESCRIBE_H_

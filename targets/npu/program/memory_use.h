// When the memory of a program holds what.
#ifndef TESSERA_TARGETS_NPU_PROGRAM_MEMORY_USE_H_
#define TESSERA_TARGETS_NPU_PROGRAM_MEMORY_USE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "targets/npu/program/program.h"

namespace tessera::npu {

// Bytes that hold one thing, from the operation that writes it (0 where something else does) to the
// last one that reads it, both included.
struct MemoryUse {
  std::string name;
  int64_t first = 0, last = 0;
  int64_t offset = 0, size = 0;
};

// Of one region of a program that is right (CheckProgram), by the operation that writes. What is
// written in parts is several of them.
std::vector<MemoryUse> MemoryUses(const Program& program, RegionKind region);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PROGRAM_MEMORY_USE_H_

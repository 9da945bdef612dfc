// From a program to the bytes of a file.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_EMIT_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_EMIT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/reach.h"

namespace tessera::vulkan {

// SPIR-V by its GLSL, so that a file that is written again compiles nothing anew.
using Shaders = absl::flat_hash_map<std::string, std::vector<uint32_t>>;

// The names of sizes that inputs have as they are, without a factor or more.
std::vector<std::string> SizesOf(const ir::Graph& graph);

// How inputs may be run by parts, and when they are.
struct Parts {
  std::vector<Reach> along;
  int64_t arena_limit = 0;  // bytes; 0: none
};

// The graph gives inputs, facts about symbols and open obligations, which become guards;
// `settings` are what the file says of how it was made. Errors: a kernel that cannot be made
// (Unimplemented), a size that follows from no size of an input, weights beyond what a file holds.
absl::StatusOr<std::vector<uint8_t>> EmitProgram(ir::Graph& graph, const Program& program,
                                                 const Parts& parts,
                                                 const std::map<std::string, std::string>& settings,
                                                 Shaders& shaders);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_EMIT_H_

// The kernel of a stage: GLSL, and what it must be given.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_KERNEL_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

struct Bound {
  int tensor = 0;
  bool written = false;
};

struct KernelText {
  std::string glsl;
  int workgroup = 64;           // invocations
  std::vector<Bound> bindings;  // binding 1 and on
  // Which of these, by number, are bound as texels too: of one element, and of four.
  std::vector<uint32_t> texels, quads;
  std::vector<Expr> parameters;  // ints of the uniform block at binding 0
  int number_parameter = -1;     // which of these is the dispatch's number plus one; -1: none
  std::vector<Expr> limits;      // must be below 2^31
  Expr invocations = 0;
  Expr steps = 0;  // how often one goes round loops, all together, at most
  // How many positions an invocation computes along each axis, or a workgroup of a shader that is
  // written by hand; none: a recurrence.
  std::vector<nests::Axis> axes;
  std::vector<int64_t> tiles;
  std::string shader;        // which one is written by hand, with its constants
  int64_t shared_bytes = 0;  // of memory that a workgroup's invocations share
  bool checks = false;       // has one more binding, for what it finds outside
  unsigned features = 0;     // tvk_feature bits
};

// One invocation per tile of elements of the nest's target; a recurrence is one workgroup that
// walks along its axis; of a stage with a shader one workgroup per tile, of one by rows per row.
// Error (Unimplemented): what GLSL has no function for, and what counts beyond 32 bits at all
// sizes.
absl::StatusOr<KernelText> KernelOf(const Program& program, const Stage& stage);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_KERNEL_H_

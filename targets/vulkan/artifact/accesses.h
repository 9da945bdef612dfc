// Which elements of tensors a stage reads and writes, as expressions of the positions along its
// axes.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_ACCESSES_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_ACCESSES_H_

#include <vector>

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Of each point of `axes` for which all of `given` hold.
struct Access {
  int tensor = 0;
  bool written = false;
  std::vector<nests::Axis> axes;
  std::vector<Expr> given;
  // By dimension of the tensor; where the kernel itself looks whether it is inside before it is
  // used, `looked_at`, and what is data is 0.
  std::vector<Expr> at;
  std::vector<bool> looked_at;
  friend bool operator==(const Access&, const Access&) = default;
};

// Each once, in the order of nests and their texts.
std::vector<Access> AccessesOf(const Program& program, const Stage& stage);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_ACCESSES_H_

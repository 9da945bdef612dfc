// How far the elements of a network's outputs see along one size of its inputs: what a part of an
// image must have around it so that what is computed from it is what is computed from all of it.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_REACH_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_REACH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Along the size `symbol`, which one axis of an input has, and no other size depends on.
struct Reach {
  std::string symbol;
  // Parts begin at multiples of it, and are multiples of it long or end where the input does.
  int64_t step = 1;
  std::vector<int> input_axes;  // by input; -1: it is there as a whole
  // The element p of an output follows from the inputs' positions from p * numerator / denominator
  // - before to p * numerator / denominator + after; what lies outside of an input is as it is for
  // all of it.
  struct Output {
    int axis = -1;  // -1: no part of it follows from the image
    int64_t numerator = 1, denominator = 1, before = 0, after = 0;
  };
  std::vector<Output> outputs;
};

// For a program that was not rewritten. Error (Unimplemented): what follows from more of the image
// than a part, or not from the same part everywhere.
absl::StatusOr<Reach> ReachAlong(const Program& program, solver::Context& context,
                                 const std::string& symbol);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_REACH_H_

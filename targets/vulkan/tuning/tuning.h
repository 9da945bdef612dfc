// Times of all kernels that a network may be computed by.
#ifndef TESSERA_TARGETS_VULKAN_TUNING_TUNING_H_
#define TESSERA_TARGETS_VULKAN_TUNING_TUNING_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/tuning/database.h"
#include "targets/vulkan/tuning/variants.h"

namespace tessera::vulkan {

struct Tuned {
  DeviceName device;
  size_t kernels = 0;  // that were timed
};

// Runs the program with each of Variants() in turn, and with each shader that computes several
// stages in their place, and adds what its kernels took to `database`:
// medians of `runs` runs behind one that does not count, at each set of inputs, which are named by
// `labels`. A kernel of several dispatches counts with their mean.
absl::StatusOr<Tuned> MeasureKernels(ir::Graph& graph, Program program, const UsesByStage& shaders,
                                     absl::Span<const std::vector<ir::Tensor>> inputs,
                                     absl::Span<const std::string> labels, int runs,
                                     const std::function<void(const std::string&)>& progress,
                                     TuneDatabase& database);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TUNING_TUNING_H_

// Values by name, and inputs and outputs cut into frames.
#ifndef TESSERA_TARGETS_NPU_EXECUTION_FRAMES_H_
#define TESSERA_TARGETS_NPU_EXECUTION_FRAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {

using NamedValues = std::map<std::string, ir::Tensor>;

// Entry `at` along the axis, which it keeps.
absl::StatusOr<ir::Tensor> FrameOf(const ir::Tensor& tensor, int axis, int64_t at);
// One behind the other along the axis. Error: frames of different shapes or types, or none.
absl::StatusOr<ir::Tensor> Joined(absl::Span<const ir::Tensor> frames, int axis);

// Calls `frame` with the inputs by name, once, or once for each frame with the inputs that have
// frames cut; it adds outputs by name. Those, joined where they have frames. Errors: an input of
// another number, type or shape than the port says; inputs that disagree on how many frames there
// are; none at all; an output that `frame` does not yield.
absl::StatusOr<std::vector<ir::Tensor>> ForEachFrame(
    const Bundle& bundle, absl::Span<const ir::Tensor> inputs,
    absl::FunctionRef<absl::Status(NamedValues&)> frame);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EXECUTION_FRAMES_H_

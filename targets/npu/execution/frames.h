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

// `count` entries from entry `at` on along the axis; beyond the last one, that one again.
absl::StatusOr<ir::Tensor> FrameOf(const ir::Tensor& tensor, int axis, int64_t at,
                                   int64_t count = 1);
// One behind the other along the axis. Error: frames of different shapes or types, or none.
absl::StatusOr<ir::Tensor> Joined(absl::Span<const ir::Tensor> frames, int axis);

// How much of a stream there was: whole frames, of which the last one read and yielded this; where
// there is none, what the last frame of an earlier stream yielded.
struct StreamPosition {
  int64_t frames = 0;
  NamedValues inputs;
  std::vector<ir::Tensor> outputs;
};

// Whether entries of the stream may follow those of a run.
enum class StreamEnd : uint8_t { kOpen, kLast };

// Calls `frame` with the inputs by name, once, or once for each frame with the inputs that have
// frames cut, and the gates; it adds outputs by name. Those, joined where they have frames: what
// the network yields for the entries of this run, which go on from `position`, and at the end of
// the stream what still comes late. Behind a last frame that was not full, or with kLast, the
// stream has ended, and `position` is that of the beginning. No inputs with kLast: no more entries,
// where there were some. Errors: an input of another number, type or shape than the port says;
// inputs that disagree on how many frames there are; none at all; an output that `frame` does not
// yield, or of another length.
absl::StatusOr<std::vector<ir::Tensor>> ForEachFrame(
    const Bundle& bundle, absl::Span<const ir::Tensor> inputs, StreamPosition& position,
    StreamEnd end, absl::FunctionRef<absl::Status(NamedValues&)> frame);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EXECUTION_FRAMES_H_

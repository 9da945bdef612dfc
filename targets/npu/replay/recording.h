// One recorded run of the device's library: a model with its operands, and what came of it. The
// format is described in docs/npu.md.
#ifndef TESSERA_TARGETS_NPU_REPLAY_RECORDING_H_
#define TESSERA_TARGETS_NPU_REPLAY_RECORDING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/model/model.h"

namespace tessera::npu {

struct RecordedOutput {
  int64_t operation = 0;
  Operand operand;  // type, shape, data
};

// Why the library refused the model, in its words.
struct RecordedError {
  std::string item, reason;
  std::optional<int64_t> operation, operand, parameter, dimension;
  std::optional<int64_t> value;
};

struct Recording {
  std::string name, device;
  Model model;
  std::vector<RecordedOutput> outputs;  // empty with `error`
  std::optional<bool> saturated;
  std::optional<RecordedError> error;
};

// From the text of a file. Errors name the place (`/operations/0/operands/2/shape`): what is
// missing or of another kind, types and modes that there are not, sizes of data that disagree with
// shapes, models of more than 2^30 bytes.
absl::StatusOr<Recording> ParseRecording(std::string_view text);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_REPLAY_RECORDING_H_

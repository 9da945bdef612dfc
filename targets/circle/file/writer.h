// Circle files out of models. The bytes are a function of the model alone.
//
// Rules that readers rely on beyond the schema: both fields of an operator code are filled;
// `shape_signature` is there only for a shape with unknown dims, which are 1 in `shape`; buffer 0
// is empty, and belongs to all tensors that are no constants; identical constants share a buffer,
// whose data starts at a multiple of 16; scalars have an empty shape.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_WRITER_H_
#define TESSERA_TARGETS_CIRCLE_FILE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/byte_run.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// A file as runs, one after the other. The large ones are of the model's constants and metadata,
// which must stay as long as this.
struct SerializedCircle {
  std::vector<support::ByteRun> runs;
  int64_t size = 0;                  // of all together
  std::vector<std::string> storage;  // of the small ones

  std::string Join() const;
};

// Error: what `CheckCircle` finds wrong, all of it. Constants lie within the FlatBuffer as long as
// that has at most `max_flatbuffer_bytes`, and behind it otherwise (Buffer.offset and size).
constexpr int64_t kMaxFlatBufferBytes = 0x7ffffffe;  // the most that the FlatBuffers verifier takes
absl::StatusOr<SerializedCircle> SerializeCircle(
    const FileModel& model, int64_t max_flatbuffer_bytes = kMaxFlatBufferBytes);

// The file in memory.
absl::StatusOr<std::string> WriteCircle(const FileModel& model);

// The file at `path`, complete or not at all; constants go there without another copy.
absl::Status WriteCircleFile(const FileModel& model, const std::string& path);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_WRITER_H_

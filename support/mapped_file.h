// Read-only memory maps of whole files.
#ifndef TESSERA_SUPPORT_MAPPED_FILE_H_
#define TESSERA_SUPPORT_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::support {

// A file as it was when it was opened.
struct FileStamp {
  std::string path;
  uint64_t device = 0, inode = 0;
  int64_t size = 0;
  int64_t seconds = 0, nanoseconds = 0;  // of its last change
};

// Bytes that stay as long as `owner` does: whoever keeps a view of them keeps a copy of `owner`.
struct MappedFile {
  std::shared_ptr<const void> owner;
  absl::Span<const uint8_t> bytes;                   // starts on a page boundary
  std::shared_ptr<const FileStamp> stamp = nullptr;  // null: no file
};

// Pages are read when they are touched. A file that is written to while it is mapped changes under
// the hands of who reads it, which `CheckUnchanged` tells afterwards; one that `WriteFile` replaces
// does not, since the map keeps the old file. Errors name the path: missing, unreadable, not a
// regular file.
absl::StatusOr<MappedFile> MapFile(const std::string& path);

// Error: one of the files is no longer what it was when it was mapped. To be asked before what was
// made of them is believed.
using FileStamps = std::vector<std::shared_ptr<const FileStamp>>;
absl::Status CheckUnchanged(const FileStamps& files);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_MAPPED_FILE_H_

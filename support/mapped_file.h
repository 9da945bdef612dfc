// Read-only memory maps of whole files.
#ifndef TESSERA_SUPPORT_MAPPED_FILE_H_
#define TESSERA_SUPPORT_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::support {

// Bytes that stay as long as `owner` does: whoever keeps a view of them keeps a copy of `owner`.
struct MappedFile {
  std::shared_ptr<const void> owner;
  absl::Span<const uint8_t> bytes;  // starts on a page boundary
};

// Pages are read when they are touched. A file that shrinks while it is mapped ends the process, as
// with every map; one that `WriteFile` replaces does not, since the map keeps the old file. Errors
// name the path: missing, unreadable, not a regular file.
absl::StatusOr<MappedFile> MapFile(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_MAPPED_FILE_H_

// Whole files in and out.
#ifndef TESSERA_SUPPORT_FILE_H_
#define TESSERA_SUPPORT_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "support/byte_run.h"

namespace tessera::support {

// Errors name the path: missing, not a regular file, unreadable, larger than 2^36 bytes.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Written beside `path` under a temporary name and renamed, so that a failure leaves what was there
// before. Where `path` names a device or a pipe, it is written to; a folder is an error.
absl::Status WriteFile(const std::string& path, std::string_view bytes);

// The same with the runs one after the other, which are not gathered in memory first.
absl::Status WriteFileFromRuns(const std::string& path, absl::Span<const ByteRun> runs);

// Makes the folder and those above it where they are missing.
absl::Status MakeFolder(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_FILE_H_

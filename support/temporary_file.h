// Files that are there until they are complete, and gone if they never are.
#ifndef TESSERA_SUPPORT_TEMPORARY_FILE_H_
#define TESSERA_SUPPORT_TEMPORARY_FILE_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "support/byte_run.h"
#include "support/descriptor.h"

namespace tessera::support {

// Sees what is written, in its order, just before.
using Taking = absl::FunctionRef<void(std::string_view)>;

// A file under a name that nobody else has, `.tessera-partial-XXXXXX`. It is removed with this,
// unless it was renamed.
class TemporaryFile {
 public:
  // Empty, in `folder`. Error: of the system, about `path`, for which it will stand.
  static absl::StatusOr<TemporaryFile> Create(const std::string& folder, const std::string& path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& name() const;
  // These return 0 or the error number.
  int Write(absl::Span<const ByteRun> runs, Taking taking);
  int MakeOrdinary();  // readable by whom the process's mask lets read files
  int Allow(mode_t mode);
  int Sync();  // to the disk
  int RenameTo(const std::string& target);

 private:
  struct Record;
  TemporaryFile(Descriptor file, Record* record) : file_(std::move(file)), record_(record) {}
  friend void RemoveTemporaryFiles() noexcept;

  // Open as long as this: its lock says that somebody still writes.
  Descriptor file_;
  Record* record_;
};

// 0, or the error number of the write that failed.
int WriteAll(int file, absl::Span<const ByteRun> runs, Taking taking);

// Removes all that there are. For the end of the process: may be called in a signal handler.
void RemoveTemporaryFiles() noexcept;

// Removes from `folder` what processes left there that were killed. Files of those that still run
// stay.
void RemoveStaleFiles(const std::string& folder);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_TEMPORARY_FILE_H_

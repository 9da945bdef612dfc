#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "support/descriptor.h"
#include "support/file_set.h"

namespace tessera::support {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 36;

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return FileError("cannot read", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read `", path, "`: not a regular file"));
  }
  if (info.st_size > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read `", path, "`: ", info.st_size, " bytes exceed ", kMaxBytes));
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("cannot read", path, errno);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  const ByteRun run(bytes);
  return WriteFileFromRuns(path, absl::MakeConstSpan(&run, 1));
}

absl::Status WriteFileFromRuns(const std::string& path, absl::Span<const ByteRun> runs) {
  FileSet files;
  if (absl::Status status = files.Add(path, runs); !status.ok()) return status;
  return files.CommitUnsynced();
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  return error ? FileError("cannot make folder", path, error.value()) : absl::OkStatus();
}

}  // namespace tessera::support

#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::support {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 36;

absl::Status FileError(std::string_view what, const std::string& path, int error) {
  const std::string text =
      absl::StrCat(std::string(what), " `", path, "`: ", std::generic_category().message(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::InvalidArgumentError(text);
}

// Closes at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  int get() const { return fd_; }
  // The error number of closing, 0 if there was none.
  int Close() { return close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_;
};

// 0, or the error number of the write that failed.
int WriteAll(int fd, absl::Span<const std::string_view> pieces) {
  constexpr size_t kBatch = 256;  // POSIX guarantees 16, Linux takes 1,024
  std::vector<iovec> batch;
  while (!pieces.empty()) {
    const size_t count = std::min(pieces.size(), kBatch);
    batch.clear();
    for (std::string_view piece : pieces.first(count)) {
      if (!piece.empty()) batch.push_back({const_cast<char*>(piece.data()), piece.size()});
    }
    pieces.remove_prefix(count);
    for (size_t next = 0; next < batch.size();) {
      ssize_t written = writev(fd, &batch[next], static_cast<int>(batch.size() - next));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      for (; next < batch.size() && written >= static_cast<ssize_t>(batch[next].iov_len); ++next) {
        written -= static_cast<ssize_t>(batch[next].iov_len);
      }
      if (written > 0) {
        batch[next].iov_base = static_cast<char*>(batch[next].iov_base) + written;
        batch[next].iov_len -= static_cast<size_t>(written);
      }
    }
  }
  return 0;
}

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
  return WriteFileFromPieces(path, absl::MakeConstSpan(&bytes, 1));
}

absl::Status WriteFileFromPieces(const std::string& path,
                                 absl::Span<const std::string_view> pieces) {
  // What a link leads to is replaced, not the link.
  std::string target = path;
  if (std::error_code error; std::filesystem::is_symlink(path, error)) {
    if (const auto real = std::filesystem::canonical(path, error); !error) target = real.string();
  }
  struct stat info;
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) return FileError("cannot write", path, EISDIR);
    // A device or a pipe: to rename a file over it would take it from everyone else.
    const Descriptor device(open(target.c_str(), O_WRONLY | O_CLOEXEC));
    const int error = device.get() < 0 ? errno : WriteAll(device.get(), pieces);
    return error == 0 ? absl::OkStatus() : FileError("cannot write", path, error);
  }
  std::string temporary = target + ".XXXXXX";
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return FileError("cannot write", path, errno);
  int error = WriteAll(file.get(), pieces);
  // mkostemp makes files that only their owner reads; a result is an ordinary file.
  const mode_t mask = umask(0);
  umask(mask);
  if (error == 0 && fchmod(file.get(), 0666 & ~mask) != 0) error = errno;
  if (const int closing = file.Close(); error == 0) error = closing;
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  unlink(temporary.c_str());
  return FileError("cannot write", path, error);
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  return error ? FileError("cannot make folder", path, error.value()) : absl::OkStatus();
}

}  // namespace tessera::support

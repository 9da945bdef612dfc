#include "support/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::support {
namespace {

absl::Status MapError(const std::string& path, int error) {
  const std::string text =
      absl::StrCat("cannot read `", path, "`: ", std::generic_category().message(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<MappedFile> MapDescriptor(int file, const std::string& path) {
  struct stat info;
  if (fstat(file, &info) != 0) return MapError(path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read `", path, "`: not a regular file"));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile{};  // mmap refuses to map nothing
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED) return MapError(path, errno);
  std::shared_ptr<const void> owner(
      start, [size](const void* bytes) { munmap(const_cast<void*>(bytes), size); });
  return MappedFile{std::move(owner), {static_cast<const uint8_t*>(start), size}};
}

}  // namespace

absl::StatusOr<MappedFile> MapFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return MapError(path, errno);
  absl::StatusOr<MappedFile> mapped = MapDescriptor(file, path);
  close(file);
  return mapped;
}

}  // namespace tessera::support

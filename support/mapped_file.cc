#include "support/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "support/descriptor.h"
#include "support/mapped_once.h"
#include "support/mapped_pages.h"
#include "support/memory_limit.h"

namespace tessera::support {
namespace {

FileStamp StampOf(const std::string& path, const struct stat& info) {
  return {path, info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace

absl::StatusOr<MappedFile> MapOnce(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return FileError("cannot read", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read `", path, "`: not a regular file"));
  }
  auto stamp = std::make_shared<const FileStamp>(StampOf(path, info));
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile{nullptr, {}, std::move(stamp)};  // mmap refuses to map nothing
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return FileError("cannot read", path, errno);
  return MappedFile{
      OwnMapping(start, size), {static_cast<const uint8_t*>(start), size}, std::move(stamp)};
}

absl::StatusOr<MappedFile> MapFile(const std::string& path) {
  absl::StatusOr<MappedFile> file = MapOnce(path);
  if (file.ok() && !file->bytes.empty()) RaiseMemoryLimit(file->stamp->size);
  return file;
}

absl::Status CheckUnchanged(const FileStamps& files) {
  for (const std::shared_ptr<const FileStamp>& stamp : files) {
    if (stamp == nullptr) continue;
    struct stat info;
    if (stat(stamp->path.c_str(), &info) != 0) continue;  // removed: the map keeps it
    const FileStamp now = StampOf(stamp->path, info);
    if (now.device != stamp->device || now.inode != stamp->inode) continue;  // replaced: the same
    if (now.size == stamp->size && now.seconds == stamp->seconds &&
        now.nanoseconds == stamp->nanoseconds)
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat("`", stamp->path, "` was changed while it was read",
                     now.size == stamp->size
                         ? ""
                         : absl::StrCat(": it had ", stamp->size, " bytes, and has ", now.size)));
  }
  return absl::OkStatus();
}

}  // namespace tessera::support

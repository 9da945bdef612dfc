#include "support/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::support {
namespace {

constexpr char kPrefix[] = ".tessera-partial-";

// 0, or the error number. No part is empty, and there are no more than one call takes.
int WriteBatch(int file, absl::Span<const std::string_view> parts) {
  std::vector<iovec> batch;
  for (std::string_view part : parts)
    batch.push_back({const_cast<char*>(part.data()), part.size()});
  for (size_t next = 0; next < batch.size();) {
    ssize_t written = writev(file, &batch[next], static_cast<int>(batch.size() - next));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    for (; next < batch.size() && written >= static_cast<ssize_t>(batch[next].iov_len); ++next)
      written -= static_cast<ssize_t>(batch[next].iov_len);
    if (written > 0) {
      batch[next].iov_base = static_cast<char*>(batch[next].iov_base) + written;
      batch[next].iov_len -= static_cast<size_t>(written);
    }
  }
  return 0;
}

}  // namespace

// One for each file that there ever was: a signal handler may be reading any of them.
struct TemporaryFile::Record {
  std::string name;
  std::atomic<bool> exists{true};
  Record* next = nullptr;
  static std::atomic<Record*> first;
};
std::atomic<TemporaryFile::Record*> TemporaryFile::Record::first{nullptr};

absl::StatusOr<TemporaryFile> TemporaryFile::Create(const std::string& folder,
                                                    const std::string& path) {
  for (;;) {
    std::string name = absl::StrCat(folder, folder.empty() ? "" : "/", kPrefix, "XXXXXX");
    Descriptor file(mkostemp(name.data(), O_CLOEXEC));
    if (file.get() < 0) return FileError("cannot write", path, errno);
    auto* const record = new Record;
    record->name = std::move(name);
    record->next = Record::first;
    while (!Record::first.compare_exchange_weak(record->next, record)) {
    }
    TemporaryFile temporary(std::move(file), record);
    // Whoever looks for stale files may have been between the two.
    struct stat info;
    const bool locked =
        flock(temporary.file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && fstat(temporary.file_.get(), &info) == 0 && info.st_nlink > 0) return temporary;
  }
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : file_(std::move(other.file_)), record_(std::exchange(other.record_, nullptr)) {}

TemporaryFile::~TemporaryFile() {
  if (record_ != nullptr && record_->exists.exchange(false)) unlink(record_->name.c_str());
}

int WriteAll(int file, absl::Span<const ByteRun> runs, Taking taking) {
  constexpr size_t kBatch = 256;  // POSIX guarantees 16, Linux takes 1,024
  std::vector<std::string_view> batch;
  int error = 0;
  size_t unasked = 0;
  // The disk begins while the rest is made: who syncs waits less. A refusal changes nothing else.
  const auto written = [&](size_t bytes) {
    constexpr size_t kOften = size_t{16} << 20;
    if ((unasked += bytes) < kOften) return;
    (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    unasked = 0;
  };
  const auto flush = [&] {
    for (std::string_view part : batch) taking(part);
    error = WriteBatch(file, batch);
    for (std::string_view part : batch) written(part.size());
    for (std::string_view part : batch) ByteRun(part).Forget();
    batch.clear();
    return error == 0;
  };
  for (const ByteRun& run : runs) {
    if (!run.IsMade()) {
      if (run.size() > 0) batch.push_back(run.bytes());
      if (batch.size() == kBatch && !flush()) return error;
      continue;
    }
    if (!flush()) return error;
    const bool all = run.ForEachPart([&](std::string_view part) {
      taking(part);
      error = WriteBatch(file, absl::MakeConstSpan(&part, 1));
      written(part.size());
      return error == 0;
    });
    if (!all) return error;
    run.Forget();
  }
  flush();
  return error;
}

const std::string& TemporaryFile::name() const { return record_->name; }

int TemporaryFile::Write(absl::Span<const ByteRun> runs, Taking taking) {
  return WriteAll(file_.get(), runs, taking);
}

int TemporaryFile::MakeOrdinary() {
  const mode_t mask = umask(0);
  umask(mask);
  return Allow(0666 & ~mask);
}

int TemporaryFile::Allow(mode_t mode) { return fchmod(file_.get(), mode) == 0 ? 0 : errno; }

int TemporaryFile::Sync() {
  // Some file systems have nothing to sync.
  return fsync(file_.get()) == 0 || errno == EINVAL ? 0 : errno;
}

int TemporaryFile::RenameTo(const std::string& target) {
  if (rename(name().c_str(), target.c_str()) != 0) return errno;
  record_->exists = false;
  return 0;
}

void RemoveTemporaryFiles() noexcept {
  for (auto* record = TemporaryFile::Record::first.load(); record != nullptr;
       record = record->next) {
    if (record->exists.exchange(false)) unlink(record->name.c_str());
  }
}

void RemoveStaleFiles(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.empty() ? "." : folder.c_str()),
                                                    closedir);
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries.get())) {
    if (!absl::StartsWith(entry->d_name, kPrefix)) continue;
    const int at = dirfd(entries.get());
    const Descriptor file(
        openat(at, entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      unlinkat(at, entry->d_name, 0);
  }
}

}  // namespace tessera::support

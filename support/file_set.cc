#include "support/file_set.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "support/descriptor.h"

namespace tessera::support {
namespace {

constexpr int kMostLinks = 40;  // as Linux has it

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// Interrupts wait as long as this lives.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::string LinkTarget(const std::string& path) {
  std::filesystem::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  return target.string();
}

absl::Status FileSet::Add(const std::string& path, std::string_view bytes) {
  const ByteRun run(bytes);
  return Add(path, absl::MakeConstSpan(&run, 1));
}

absl::Status FileSet::Add(const std::string& path, absl::Span<const ByteRun> runs) {
  return Add(path, runs, [](std::string_view) {});
}

absl::Status FileSet::Add(const std::string& path, absl::Span<const ByteRun> runs, Taking taking) {
  const auto fail = [&](int error) { return FileError("cannot write", path, error); };
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno == ELOOP) return fail(ELOOP);
  if (exists && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) return fail(EISDIR);
    // To rename a file over it would take it from everyone else. By the name that was given: what
    // the links of `/dev/stdout` say of a pipe is no path.
    const Descriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const int error = device.get() < 0 ? errno : WriteAll(device.get(), runs, taking);
    return error == 0 ? absl::OkStatus() : fail(error);
  }
  const std::string target = LinkTarget(path);
  absl::StatusOr<TemporaryFile> file = TemporaryFile::Create(FolderOf(target), path);
  if (!file.ok()) return file.status();
  int error = file->Write(runs, taking);
  // Who kept others from reading what is replaced means what replaces it too.
  if (error == 0) error = exists ? file->Allow(info.st_mode & 0777) : file->MakeOrdinary();
  if (error != 0) return fail(error);
  members_.push_back({*std::move(file), path, target});
  return absl::OkStatus();
}

absl::Status FileSet::Commit() {
  std::set<std::string> folders;
  for (Member& member : members_) {
    if (const int error = member.file.Sync(); error != 0)
      return FileError("cannot write", member.path, error);
    folders.insert(FolderOf(member.target));
  }
  if (absl::Status status = Rename(); !status.ok()) return status;
  for (const std::string& folder : folders) {
    const Descriptor names(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
    // The files are complete; where a folder cannot be synced, its names reach the disk later.
    if (names.get() >= 0) (void)fsync(names.get());
    RemoveStaleFiles(folder);
  }
  return absl::OkStatus();
}

absl::Status FileSet::CommitUnsynced() { return Rename(); }

absl::Status FileSet::Rename() {
  const Uninterrupted guard;
  // What was there, under a second name for as long as a later rename can fail. Where the file
  // system has no such links, there is no way back.
  const auto kept = [&](const Member& member) {
    return absl::StrCat(member.file.name(), ".before");
  };
  size_t done = 0;
  int error = 0;
  std::vector<bool> existed(members_.size());
  for (; done < members_.size(); ++done) {
    Member& member = members_[done];
    existed[done] = access(member.target.c_str(), F_OK) == 0;
    if (existed[done] && done + 1 < members_.size())
      (void)link(member.target.c_str(), kept(member).c_str());
    if ((error = member.file.RenameTo(member.target)) != 0) break;
  }
  for (size_t i = 0; i < members_.size() && i <= done; ++i) {
    const Member& member = members_[i];
    if (error != 0 && i < done) {
      if (!existed[i]) unlink(member.target.c_str());
      if (existed[i]) (void)rename(kept(member).c_str(), member.target.c_str());
    } else {
      unlink(kept(member).c_str());
    }
  }
  absl::Status status;
  if (error != 0) status = FileError("cannot write", members_[done].path, error);
  members_.clear();
  return status;
}

}  // namespace tessera::support

#include "solver/certificate/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::certificate {
namespace {

using Clock = std::chrono::steady_clock;

// How long a program that has closed its output may take to end.
constexpr std::chrono::milliseconds kFarewell{2000};

absl::Status SystemError(const std::string& what, int code) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::generic_category().message(code)));
}

bool MakePipe(Descriptor& from, Descriptor& to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  from = Descriptor(ends[0]);
  to = Descriptor(ends[1]);
  return true;
}

// The text in a file that has no name and no place on a disk.
Descriptor MemoryFile(const std::string& text) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  size_t written = 0;
  while (file.get() >= 0 && written < text.size()) {
    const ssize_t count = write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Descriptor();
    written += static_cast<size_t>(count);
  }
  if (file.get() >= 0 && lseek(file.get(), 0, SEEK_SET) != 0) return Descriptor();
  return file;
}

void Limit(int resource, int64_t soft, int64_t hard) {
  const rlimit limit{static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)};
  setrlimit(resource, &limit);
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Child::~Child() {
  if (pid_ > 0) Kill(End::kDeadline);
}

absl::Status Child::Start(const Command& command, const Limits& limits,
                          std::atomic<pid_t>& registered) {
  Descriptor input = MemoryFile(command.input);
  Descriptor out, failed, fails;
  if (input.get() < 0 || !MakePipe(output_, out) || !MakePipe(failed, fails))
    return SystemError("cannot pass a query on", errno);
  const std::vector<char*> arguments = Pointers(command.arguments);
  const std::vector<char*> environment = Pointers(command.environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) return SystemError("cannot start a process", errno);
  if (pid_ == 0) {
    // Between fork and exec: system calls only.
    for (const int signal : kEnding) ::signal(signal, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    Limit(RLIMIT_CPU, limits.processor_seconds, limits.processor_seconds + 2);
    Limit(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
    Limit(RLIMIT_FSIZE, 0, 0);
    Limit(RLIMIT_CORE, 0, 0);
    if (dup2(input.get(), 0) == 0 && dup2(out.get(), 1) == 1 && dup2(out.get(), 2) == 2)
      execve(arguments[0], arguments.data(), environment.data());
    const int code = errno;
    if (write(fails.get(), &code, sizeof code) < 0) _exit(2);
    _exit(1);
  }
  setpgid(pid_, pid_);
  registered_ = &registered;
  registered_->store(pid_);
  processor_seconds_ = limits.processor_seconds;
  fails.Close();
  int code = 0;
  ssize_t count;
  while ((count = read(failed.get(), &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (count == 0) return absl::OkStatus();
  Kill(End::kExited);
  return SystemError(absl::StrCat("cannot start `", command.arguments[0], "`"), code);
}

bool Child::Read(size_t most) {
  char buffer[1 << 16];
  const ssize_t count = read(output_.get(), buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const size_t taken = std::min(static_cast<size_t>(count), most - result_.output.size());
  result_.output.append(buffer, taken);
  return true;
}

void Child::Finish() {
  const Clock::time_point patience = Clock::now() + kFarewell;
  while (!Reaped(WNOHANG)) {
    if (Clock::now() > patience) return Kill(End::kDeadline);
    poll(nullptr, 0, 1);
  }
  kill(-pid_, SIGKILL);  // what the program left behind
  Forget();
}

void Child::Kill(End why) {
  kill(-pid_, SIGKILL);
  while (!Reaped(0)) {
  }
  if (why != End::kExited) result_.end = why;
  Forget();
}

bool Child::Reaped(int options) {
  int status = 0;
  rusage usage = {};
  const pid_t pid = wait4(pid_, &status, options, &usage);
  if (pid == 0 || (pid < 0 && errno == EINTR)) return false;
  result_.end = WIFSIGNALED(status) ? End::kSignalled : End::kExited;
  result_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  const int64_t used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  // The first signal is the limit's own: it counts whole ticks of the clock, of which a program on
  // a busy machine has used a part. The second is that of who does not heed the first.
  const bool at_limit =
      result_.code == SIGXCPU || (result_.code == SIGKILL && used >= processor_seconds_ * 900000);
  if (WIFSIGNALED(status) && at_limit) result_.end = End::kProcessor;
  return true;
}

void Child::Forget() {
  registered_->store(0);
  pid_ = -1;
  output_.Close();
}

}  // namespace tessera::certificate

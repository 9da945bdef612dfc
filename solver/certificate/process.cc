#include "solver/certificate/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::certificate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostAtOnce = 16;
// How long a program that has closed its output may take to end.
constexpr std::chrono::milliseconds kFarewell{2000};

// What a signal handler may read: the groups that run, 0 for none.
std::atomic<pid_t> running_groups[kMostAtOnce];
static_assert(std::atomic<pid_t>::is_always_lock_free);

constexpr int kEnding[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
struct sigaction before_watch[std::size(kEnding)];  // the handlers read it too

extern "C" void EndGroups(int signal) {
  for (const std::atomic<pid_t>& group : running_groups) {
    if (const pid_t id = group.load(); id > 0) kill(-id, SIGKILL);
  }
  // Now the signal does what it did.
  for (size_t i = 0; i < std::size(kEnding); ++i) {
    if (kEnding[i] == signal) sigaction(signal, &before_watch[i], nullptr);
  }
  raise(signal);
}

// Signals that are not ignored end the groups before they do what they did.
class SignalWatch {
 public:
  SignalWatch() {
    struct sigaction watch = {};
    watch.sa_handler = EndGroups;
    watch.sa_flags = SA_NODEFER;
    for (size_t i = 0; i < std::size(kEnding); ++i) {
      sigaction(kEnding[i], nullptr, &before_watch[i]);
      if (before_watch[i].sa_handler != SIG_IGN) sigaction(kEnding[i], &watch, nullptr);
    }
  }
  ~SignalWatch() {
    for (size_t i = 0; i < std::size(kEnding); ++i)
      sigaction(kEnding[i], &before_watch[i], nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

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

// A process and its group.
class Child {
 public:
  Child() = default;
  ~Child() {
    if (pid_ > 0) Kill(End::kDeadline);
  }
  Child(const Child&) = delete;

  absl::Status Start(const Command& command, const Limits& limits, std::atomic<pid_t>& registered) {
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

  bool running() const { return pid_ > 0; }
  int output() const { return output_.get(); }
  Result& result() { return result_; }

  // Takes over what there is to read. False: there will be no more.
  bool Read(size_t most) {
    char buffer[1 << 16];
    const ssize_t count = read(output_.get(), buffer, sizeof buffer);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    const size_t taken = std::min(static_cast<size_t>(count), most - result_.output.size());
    result_.output.append(buffer, taken);
    return true;
  }

  // Waits a little, then ends the group, with `why` if it had not ended by itself.
  void Finish() {
    const Clock::time_point patience = Clock::now() + kFarewell;
    while (!Reaped(WNOHANG)) {
      if (Clock::now() > patience) return Kill(End::kDeadline);
      poll(nullptr, 0, 1);
    }
    kill(-pid_, SIGKILL);  // what the program left behind
    Forget();
  }
  void Kill(End why) {
    kill(-pid_, SIGKILL);
    while (!Reaped(0)) {
    }
    if (why != End::kExited) result_.end = why;
    Forget();
  }

 private:
  bool Reaped(int options) {
    int status = 0;
    rusage usage = {};
    const pid_t pid = wait4(pid_, &status, options, &usage);
    if (pid == 0 || (pid < 0 && errno == EINTR)) return false;
    result_.end = WIFSIGNALED(status) ? End::kSignalled : End::kExited;
    result_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    const int64_t used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    // Some clocks of the limit are coarse.
    const bool at_limit = WIFSIGNALED(status) && used >= processor_seconds_ * 900000 &&
                          (result_.code == SIGXCPU || result_.code == SIGKILL);
    if (at_limit) result_.end = End::kProcessor;
    return true;
  }
  void Forget() {
    registered_->store(0);
    pid_ = -1;
    output_.Close();
  }

  pid_t pid_ = -1;
  std::atomic<pid_t>* registered_ = nullptr;
  int64_t processor_seconds_ = 0;
  Descriptor output_;
  Result result_;
};

// Reads what the children write until one of them has ended or the deadline is over.
void Attend(absl::Span<Child> children, const Limits& limits) {
  std::vector<pollfd> polled;
  std::vector<Child*> of;
  for (Child& child : children) {
    if (!child.running()) continue;
    polled.push_back({child.output(), POLLIN, 0});
    of.push_back(&child);
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits.deadline - Clock::now());
  if (left.count() <= 0) {
    for (Child* child : of) child->Kill(End::kDeadline);
    return;
  }
  constexpr int64_t kMostMilliseconds = 1 << 30;
  poll(polled.data(), polled.size(),
       static_cast<int>(std::min<int64_t>(left.count() + 1, kMostMilliseconds)));
  for (size_t i = 0; i < of.size(); ++i) {
    if (polled[i].revents == 0) continue;
    if (!of[i]->Read(limits.output_bytes)) {
      of[i]->Finish();
    } else if (of[i]->result().output.size() >= limits.output_bytes) {
      of[i]->Kill(End::kOutput);
    }
  }
}

}  // namespace

std::string EndText(const Result& result) {
  switch (result.end) {
    case End::kExited:
      return absl::StrCat("ended with exit code ", result.code);
    case End::kSignalled:
      return absl::StrCat("was ended by signal ", result.code);
    case End::kProcessor:
      return "took too much time of the processor";
    case End::kOutput:
      return "wrote too much";
    case End::kDeadline:
      break;
  }
  return "was ended at the deadline";
}

absl::StatusOr<std::vector<Result>> RunAll(absl::Span<const Command> commands,
                                           const Limits& limits) {
  const SignalWatch watch;
  const size_t width =
      std::clamp<size_t>(static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)), 1, kMostAtOnce);
  std::vector<Result> results(commands.size());
  std::vector<Child> children(width);
  std::vector<size_t> command_of(width);
  size_t started = 0, ended = 0;
  while (ended < commands.size()) {
    for (size_t slot = 0; slot < width && started < commands.size(); ++slot) {
      if (children[slot].running()) continue;
      children[slot].result() = {};
      command_of[slot] = started;
      const absl::Status status =
          children[slot].Start(commands[started++], limits, running_groups[slot]);
      if (!status.ok()) return status;
    }
    std::vector<bool> ran(width);
    for (size_t slot = 0; slot < width; ++slot) ran[slot] = children[slot].running();
    Attend(absl::MakeSpan(children), limits);
    for (size_t slot = 0; slot < width; ++slot) {
      if (!ran[slot] || children[slot].running()) continue;
      results[command_of[slot]] = std::move(children[slot].result());
      ++ended;
    }
  }
  return results;
}

}  // namespace tessera::certificate

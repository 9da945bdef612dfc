#include "solver/certificate/process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::certificate {
namespace {

constexpr size_t kMaxOutput = size_t{16} << 20;
constexpr int kNotStarted = 127;  // what shells return for it

struct Close {
  void operator()(FILE* file) const { fclose(file); }
};
// Input and output go through unnamed files: pipes of several processes would wait for each other.
using File = std::unique_ptr<FILE, Close>;

struct Running {
  pid_t pid = -1;
  File input, output;
};

void Limit(int resource, int64_t most) {
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  setrlimit(resource, &limit);
}

absl::Status SystemError(const std::string& what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::generic_category().message(errno)));
}

absl::StatusOr<Running> Start(const Command& command, int64_t seconds, int64_t bytes) {
  Running running{-1, File(tmpfile()), File(tmpfile())};
  if (running.input == nullptr || running.output == nullptr)
    return SystemError("cannot make a temporary file");
  const std::string& input = command.input;
  if (fwrite(input.data(), 1, input.size(), running.input.get()) != input.size() ||
      fflush(running.input.get()) != 0)
    return SystemError("cannot write a temporary file");
  rewind(running.input.get());
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int in = fileno(running.input.get()), out = fileno(running.output.get());
  running.pid = fork();
  if (running.pid < 0) return SystemError("cannot start a process");
  if (running.pid == 0) {
    // Between fork and exec: system calls only.
    Limit(RLIMIT_CPU, seconds);
    Limit(RLIMIT_AS, bytes);
    Limit(RLIMIT_CORE, 0);
    if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2)
      execvp(arguments[0], arguments.data());
    _exit(kNotStarted);
  }
  return running;
}

Result Finish(Running& running) {
  Result result;
  while (waitpid(running.pid, &result.status, 0) < 0 && errno == EINTR) {
  }
  running.pid = -1;
  FILE* output = running.output.get();
  rewind(output);
  char buffer[4096];
  while (result.output.size() < kMaxOutput) {
    const size_t count = fread(buffer, 1, sizeof buffer, output);
    if (count == 0) break;
    result.output.append(buffer, count);
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<Result>> RunAll(absl::Span<const Command> commands, int64_t seconds,
                                           int64_t bytes) {
  const size_t width =
      std::clamp<size_t>(static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)), 1, 16);
  std::vector<Result> results(commands.size());
  std::vector<Running> running(commands.size());
  absl::Status status;
  size_t started = 0;
  for (size_t next = 0; next < commands.size(); ++next) {
    for (; status.ok() && started < std::min(next + width, commands.size()); ++started) {
      absl::StatusOr<Running> one = Start(commands[started], seconds, bytes);
      if (one.ok()) {
        running[started] = *std::move(one);
      } else {
        status = one.status();
        break;
      }
    }
    if (next == started) break;
    results[next] = Finish(running[next]);
    running[next] = {};
    const int code = results[next].status;
    if (status.ok() && WIFEXITED(code) && WEXITSTATUS(code) == kNotStarted) {
      status = absl::UnavailableError(
          absl::StrCat("cannot start `", commands[next].arguments[0], "`: ", results[next].output));
    }
  }
  if (!status.ok()) return status;
  return results;
}

}  // namespace tessera::certificate

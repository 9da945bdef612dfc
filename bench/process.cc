#include "bench/process.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::bench {
namespace {

constexpr char kLauncher[] = "--tessera-launcher";

// The wait status of the program, or a negative error number.
int Run(char* const* command, posix_spawn_file_actions_t* actions, rusage& usage) {
  pid_t process = 0;
  if (const int error = posix_spawn(&process, command[0], actions, nullptr, command, environ);
      error != 0)
    return -error;
  int status = 0;
  while (wait4(process, &status, 0, &usage) < 0) {
    if (errno != EINTR) return -errno;
  }
  return status;
}

}  // namespace

absl::StatusOr<ProcessUsage> Measure(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"/proc/self/exe", kLauncher};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (pipe(ends) != 0) return absl::UnavailableError("no pipe can be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  rusage ignored;
  // Its one line fits into the pipe, so that nobody need read before its end.
  const int status = Run(arguments.data(), &actions, ignored);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE* lines = fdopen(ends[0], "r");
  long long nanoseconds = 0, kibibytes = 0;
  const int fields = std::fscanf(lines, "%lld %lld", &nanoseconds, &kibibytes);
  std::fclose(lines);
  if (status != 0 || fields != 2) {
    return absl::InvalidArgumentError(absl::StrCat("`", command[0], "` failed"));
  }
  return ProcessUsage{static_cast<double>(nanoseconds) * 1e-9, kibibytes * 1024};
}

std::optional<int> RunLauncher(int argc, char** argv) {
  if (argc < 3 || std::string(argv[1]) != kLauncher) return std::nullopt;
  // The program's own output would mix with the figures.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  rusage usage;
  const auto start = std::chrono::steady_clock::now();
  const int status = Run(argv + 2, &actions, usage);
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  if (status < 0) {
    std::fprintf(stderr, "cannot start `%s`: %s\n", argv[2],
                 std::generic_category().message(-status).c_str());
  }
  if (status != 0) return 1;
  std::printf("%lld %ld\n", static_cast<long long>(wall.count()), usage.ru_maxrss);
  return 0;
}

}  // namespace tessera::bench

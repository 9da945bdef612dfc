#include "targets/circle/runtimes/launch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "support/npy.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/runtimes/driver_text.h"

namespace tessera::circle {
namespace {

namespace fs = std::filesystem;

struct Package {
  std::string_view runtime, install;
  bool tflite;  // reads the file under TFLite's identifier
};
constexpr Package kPackages[] = {{"litert", "ai-edge-litert==2.3.0", true},
                                 {"onert", "onert==0.1.0", false}};
constexpr int kNotInstalled = 3;  // of the driver
constexpr size_t kMostAtOnce = 64;

// Removed with all that is in it at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const char* const root = std::getenv("TEST_TMPDIR");
    path_ = absl::StrCat(root != nullptr ? root : fs::temp_directory_path(error).string(),
                         "/tessera.XXXXXX");
    if (error || mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The exit code, with what was printed in the file `log`.
absl::StatusOr<int> RunProgram(std::vector<std::string> command, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot start `", command[0], "`: ", std::generic_category().message(error)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

absl::Status WriteLaunch(const Launch& launch, bool tflite, const std::string& folder) {
  std::string bytes = launch.circle;
  if (tflite) {
    absl::StatusOr<std::string> twin = ToTflite(support::AlignedCopy(launch.circle).bytes);
    if (!twin.ok()) return twin.status();
    bytes = *std::move(twin);
  }
  std::error_code error;
  fs::create_directory(folder, error);
  absl::Status status = support::WriteFile(folder + "/model.circle", bytes);
  for (size_t i = 0; i < launch.inputs.size() && status.ok(); ++i)
    status = support::WriteFile(absl::StrCat(folder, "/input_", i, ".npy"),
                                support::SerializeNpy(launch.inputs[i]));
  return status;
}

LaunchOutputs ReadOutputs(const std::string& folder) {
  if (const absl::StatusOr<std::string> said = support::ReadFile(folder + "/error"); said.ok())
    return absl::InvalidArgumentError(*said);
  std::vector<ir::Tensor> outputs;
  for (;;) {
    const std::string path = absl::StrCat(folder, "/output_", outputs.size(), ".npy");
    if (!fs::exists(path)) return outputs;
    const absl::StatusOr<std::string> bytes = support::ReadFile(path);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<ir::Tensor> output = support::ParseNpy(*bytes);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
}

absl::Status RunSome(const Package& package, const std::string& packages,
                     absl::Span<const Launch> launches, std::vector<LaunchOutputs>& results) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return absl::UnavailableError("no temporary folder can be made");
  std::vector<std::string> command = {
      "python3", "-B", "-c", std::string(DriverText()), std::string(package.runtime), packages};
  std::vector<absl::Status> written;
  for (size_t i = 0; i < launches.size(); ++i) {
    const std::string own = absl::StrCat(folder.path(), "/", i);
    written.push_back(WriteLaunch(launches[i], package.tflite, own));
    if (written.back().ok()) command.push_back(own);
  }
  const std::string log = folder.path() + "/log";
  const absl::StatusOr<int> code = RunProgram(command, log);
  if (!code.ok()) return code.status();
  const std::string runtime(package.runtime);
  if (*code == kNotInstalled)
    return absl::FailedPreconditionError(
        absl::StrCat("`", runtime, "` is not installed ",
                     packages.empty() ? "for `python3`" : absl::StrCat("in `", packages, "`"),
                     ": `python3 -m pip install ", std::string(package.install),
                     "` installs it; of a copy elsewhere say the folder that holds its package"));
  if (*code != 0)
    return absl::UnavailableError(
        absl::StrCat("`", runtime, "`: ", support::ReadFile(log).value_or("it printed nothing")));
  for (size_t i = 0; i < launches.size(); ++i)
    results.push_back(written[i].ok() ? ReadOutputs(absl::StrCat(folder.path(), "/", i))
                                      : LaunchOutputs(written[i]));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<LaunchOutputs>> RunIn(std::string_view runtime,
                                                 const std::string& packages,
                                                 absl::Span<const Launch> launches) {
  for (const Package& package : kPackages) {
    if (package.runtime != runtime) continue;
    std::vector<LaunchOutputs> results;
    for (size_t from = 0; from < launches.size(); from += kMostAtOnce) {
      const absl::Status status =
          RunSome(package, packages, launches.subspan(from, kMostAtOnce), results);
      if (!status.ok()) return status;
    }
    return results;
  }
  return absl::InvalidArgumentError(absl::StrCat("no runtime `", std::string(runtime), "`"));
}

}  // namespace tessera::circle

#include "targets/circle/tflite_check/tflite_oracle.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"

namespace tessera::circle {
namespace {

namespace fs = std::filesystem;

// Removed with all that is in it at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* root = std::getenv("TEST_TMPDIR");
    path_ =
        absl::StrCat(root == nullptr ? fs::temp_directory_path().string() : root, "/tflite.XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
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

// Runs `command` with both of its outputs in the file `log`. Error: what it printed.
absl::Status RunProgram(std::vector<std::string> command, const std::string& log) {
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
      posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot start `", command[0], "`: ", std::generic_category().message(error)));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(support::ReadFile(log).value_or("it printed nothing"));
}

}  // namespace

absl::StatusOr<std::vector<ir::Tensor>> RunTflite(const std::string& model,
                                                  const std::vector<ir::Tensor>& inputs,
                                                  TfliteKernels kernels) {
  const char* runfiles = std::getenv("TEST_SRCDIR");
  if (runfiles == nullptr) {
    return absl::UnavailableError("`TEST_SRCDIR` is not set: this runs in Bazel's tests only");
  }
  const TemporaryFolder folder;
  if (folder.path().empty()) return absl::UnavailableError("no temporary folder can be made");
  const std::string model_path = folder.path() + "/model.tflite";
  std::vector<std::string> command = {
      absl::StrCat(runfiles, "/tessera/targets/circle/tflite_check/run_tflite"),
      kernels == TfliteKernels::kReference ? "--kernels=reference" : "--kernels=optimized",
      model_path,
      folder.path(),
  };
  if (auto status = support::WriteFile(model_path, model); !status.ok()) return status;
  for (size_t i = 0; i < inputs.size(); ++i) {
    command.push_back(absl::StrCat(folder.path(), "/input_", i, ".npy"));
    const absl::Status written =
        support::WriteFile(command.back(), support::SerializeNpy(inputs[i]));
    if (!written.ok()) return written;
  }
  if (auto status = RunProgram(command, folder.path() + "/log"); !status.ok()) return status;
  std::vector<ir::Tensor> outputs;
  while (true) {
    const std::string path = absl::StrCat(folder.path(), "/output_", outputs.size(), ".npy");
    if (!fs::exists(path)) return outputs;
    const absl::StatusOr<std::string> bytes = support::ReadFile(path);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<ir::Tensor> output = support::ParseNpy(*bytes);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
}

}  // namespace tessera::circle

#include "targets/circle/runtimes/launch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "support/npy.h"
#include "support/npy_series.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
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
// A runtime is loaded once for so many files, which takes longer than most of them run.
constexpr size_t kMostAtOnce = 1024;
constexpr int kMostInOneProcess = 128;  // a process grows by what runtimes do not give back
constexpr size_t kMostBytesAtOnce = size_t{1} << 26;  // on disk, but for one file

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
  return support::ReadNpySeries(folder + "/output_");
}

absl::Status RunSome(const Package& package, const std::string& packages, int seconds,
                     Processes processes, absl::Span<const Launch> launches,
                     std::vector<LaunchOutputs>& results) {
  const support::TemporaryFolder folder;
  if (folder.path().empty()) return absl::UnavailableError("no temporary folder can be made");
  std::vector<std::string> command = {
      "python3",
      "-B",
      "-c",
      std::string(DriverText()),
      std::string(package.runtime),
      packages,
      absl::StrCat(seconds),
      absl::StrCat(processes == Processes::kShared ? kMostInOneProcess : 1)};
  std::vector<absl::Status> written;
  for (size_t i = 0; i < launches.size(); ++i) {
    const std::string own = absl::StrCat(folder.path(), "/", i);
    written.push_back(WriteLaunch(launches[i], package.tflite, own));
    if (written.back().ok()) command.push_back(own);
  }
  const std::string log = folder.path() + "/log";
  const absl::StatusOr<int> code = support::RunProgram(command, log);
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

size_t CountAtOnce(absl::Span<const Launch> launches) {
  size_t count = 0, bytes = 0;
  while (count < std::min(launches.size(), kMostAtOnce) && bytes < kMostBytesAtOnce) {
    bytes += launches[count].circle.size();
    for (const ir::Tensor& input : launches[count].inputs) bytes += input.bytes().size();
    ++count;
  }
  return count;
}

}  // namespace

absl::StatusOr<std::vector<LaunchOutputs>> RunIn(std::string_view runtime,
                                                 const std::string& packages,
                                                 absl::Span<const Launch> launches, int seconds,
                                                 Processes processes) {
  for (const Package& package : kPackages) {
    if (package.runtime != runtime) continue;
    std::vector<LaunchOutputs> results;
    for (size_t from = 0, count = 0; from < launches.size(); from += count) {
      count = CountAtOnce(launches.subspan(from));
      const absl::Status status =
          RunSome(package, packages, seconds, processes, launches.subspan(from, count), results);
      if (!status.ok()) return status;
    }
    return results;
  }
  return absl::InvalidArgumentError(absl::StrCat("no runtime `", std::string(runtime), "`"));
}

}  // namespace tessera::circle

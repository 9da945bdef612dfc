// Replays recorded runs of the device's library on the emulator.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "targets/npu/replay/compare.h"
#include "targets/npu/replay/recording.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "replay";

// The recordings of a folder by name, or the one file.
absl::StatusOr<std::vector<std::string>> Files(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path, error))
      return absl::NotFoundError(absl::StrCat(path, ": no such file or folder"));
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path().string());
  }
  if (error) return absl::InternalError(absl::StrCat(path, ": ", error.message()));
  if (files.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": holds no .json file"));
  std::sort(files.begin(), files.end());
  return files;
}

npu::Verdict Replay(const std::string& file, const npu::RunOptions& options) {
  const absl::StatusOr<std::string> text = support::ReadFile(file);
  if (!text.ok()) return {npu::Verdict::kFailed, std::string(text.status().message())};
  const absl::StatusOr<npu::Recording> recording = npu::ParseRecording(*text);
  if (!recording.ok()) return {npu::Verdict::kFailed, std::string(recording.status().message())};
  return npu::Compare(*recording, options);
}

int Main(int argc, char** argv) {
  std::string path;
  bool list = false, by_definition = false;
  cli::CommandLine line(
      kProgram,
      "Replays recorded runs of the device's library on the emulator: each model is run, and its "
      "outputs are compared byte by byte, or is refused at the same place for the same reason. "
      "The format is described in docs/npu.md.");
  line.Positional("DIR", "a folder of recordings (*.json), or one of them", &path);
  line.Switch("list", "name every recording, and the words of each refusal", &list);
  line.Switch("by-definition",
              "run the definitions alone, without their faster kernels; slow for large models",
              &by_definition);
  line.Example("recordings");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  cli::EnterInvokingFolder();

  const absl::StatusOr<std::vector<std::string>> files = Files(path);
  if (!files.ok()) return cli::Report(kProgram, files.status());
  size_t matched = 0, rejected = 0, failed = 0;
  for (const std::string& file : *files) {
    const npu::Verdict verdict = Replay(file, {.use_fast = !by_definition});
    switch (verdict.kind) {
      case npu::Verdict::kMatched:
        ++matched;
        if (list) std::cout << file << ": matched\n";
        break;
      case npu::Verdict::kRejected:
        ++rejected;
        if (list) std::cout << file << ": rejected as recorded: " << verdict.text << "\n";
        break;
      case npu::Verdict::kFailed:
        ++failed;
        std::cout << file << ": failed: " << verdict.text << "\n";
        break;
    }
  }
  std::cout << matched << " matched, " << rejected << " rejected as recorded, " << failed
            << " failed\n";
  return failed == 0 ? cli::kDone : cli::kBadInput;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::kProgram, tessera::Main, argc, argv);
}

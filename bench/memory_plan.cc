// Plans the instances of a folder in the form of the public MiniMalloc benchmark:
// NAME.CAPACITY.csv, lines `id,lower,upper,size`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "planning/pack.h"
#include "support/file.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "memory_plan";

absl::StatusOr<std::vector<planning::Buffer>> ReadInstance(const std::string& file) {
  const absl::StatusOr<std::string> text = support::ReadFile(file);
  if (!text.ok()) return text.status();
  std::vector<planning::Buffer> buffers;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    if (++number == 1) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
    planning::Buffer buffer;
    if (cells.size() != 4 || !absl::SimpleAtoi(cells[1], &buffer.begin) ||
        !absl::SimpleAtoi(cells[2], &buffer.end) || !absl::SimpleAtoi(cells[3], &buffer.size) ||
        buffer.size < 0 || buffer.size > int64_t{1} << 40)
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": line ", number, " is not `id,lower,upper,size`"));
    buffers.push_back(buffer);
  }
  return buffers;
}

// `A.1048576.csv`: 1048576.
absl::StatusOr<int64_t> CapacityOf(const std::string& file) {
  const std::vector<std::string> parts =
      absl::StrSplit(std::filesystem::path(file).filename().string(), '.');
  int64_t capacity = 0;
  if (parts.size() == 3 && absl::SimpleAtoi(parts[1], &capacity)) return capacity;
  return absl::InvalidArgumentError(absl::StrCat(file, ": is not named NAME.CAPACITY.csv"));
}

int Main(int argc, char** argv) {
  std::string folder, effort;
  cli::CommandLine line(kProgram, "Plans the memory of recorded instances at their capacities.");
  line.Positional("DIR", "a folder of NAME.CAPACITY.csv with lines `id,lower,upper,size`", &folder);
  line.Value("effort", "N", "placements to try; 200000 unless said", &effort);
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  cli::EnterInvokingFolder();
  planning::PackOptions options{.effort = 200'000, .capacity = std::nullopt};
  if (!effort.empty() && (!absl::SimpleAtoi(effort, &options.effort) || options.effort < 0))
    return line.WrongUsage(absl::StrCat("`--effort ", effort, "` is no number"));

  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  }
  if (files.empty())
    return cli::Report(kProgram, absl::NotFoundError(absl::StrCat(folder, ": holds no .csv file")));
  std::sort(files.begin(), files.end());
  int above = 0;
  for (const std::string& file : files) {
    const absl::StatusOr<std::vector<planning::Buffer>> buffers = ReadInstance(file);
    if (!buffers.ok()) return cli::Report(kProgram, buffers.status());
    const absl::StatusOr<int64_t> capacity = CapacityOf(file);
    if (!capacity.ok()) return cli::Report(kProgram, capacity.status());
    options.capacity = *capacity;
    const auto begin = std::chrono::steady_clock::now();
    const planning::Packing packing = planning::Pack(*buffers, options);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (planning::Overlap(*buffers, packing.offsets))
      return cli::Report(kProgram, absl::InternalError(absl::StrCat(file, ": buffers overlap")));
    const bool fits = packing.size <= *capacity;
    above += fits ? 0 : 1;
    std::cout << absl::StrFormat(
        "%s: %d buffers, %d of %d%s, lower bound %d, %d placements, %.2f s\n",
        std::filesystem::path(file).filename().string(), buffers->size(), packing.size, *capacity,
        fits ? "" : " (does not fit)", packing.lower_bound, packing.placements, seconds);
  }
  std::cout << files.size() - static_cast<size_t>(above) << " of " << files.size() << " fit\n";
  return above == 0 ? cli::kDone : cli::kBadInput;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::kProgram, tessera::Main, argc, argv);
}

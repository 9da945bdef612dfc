#include "tools/cli/exit_code.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "support/memory_limit.h"
#include "support/printable.h"

namespace tessera::cli {
namespace {

// Sizes that are made of sizes may take a hundred thousand characters, behind which nobody finds
// the reason: of a long line the beginning and the end are shown.
std::string Readable(absl::string_view line) {
  constexpr size_t kMost = 4000, kBeginning = 2400, kEnd = 1200;
  if (line.size() <= kMost) return std::string(line);
  size_t begin = kBeginning, end = line.size() - kEnd;
  while (begin > 0 && support::IsContinuation(line[begin])) --begin;
  while (end > begin && support::IsContinuation(line[end])) --end;
  return absl::StrCat(line.substr(0, begin), " ... (", end - begin, " characters) ... ",
                      line.substr(end));
}

}  // namespace

int ExitCode(const absl::Status& status) {
  if (status.ok()) return kDone;
  return absl::IsInternal(status) ? kOurBug : kBadInput;
}

int Report(std::string_view program, const absl::Status& status) {
  return Report(program, status, std::cerr);
}

int Report(std::string_view program, const absl::Status& status, std::ostream& err) {
  absl::string_view message = status.message();
  while (absl::ConsumeSuffix(&message, "\n")) continue;
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(message, '\n')) lines.push_back(Readable(line));
  err << program << ": " << (absl::IsInternal(status) ? "internal error, please report it: " : "")
      << absl::StrJoin(lines, "\n  ")
      << (absl::IsResourceExhausted(status) ? support::MemoryLimitText() : "") << "\n";
  return ExitCode(status);
}

void EnterInvokingFolder() {
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  // If it is gone, paths stay relative to where we are; opening them reports so.
  if (folder != nullptr && chdir(folder) != 0) std::cerr << "cannot enter `" << folder << "`\n";
}

}  // namespace tessera::cli

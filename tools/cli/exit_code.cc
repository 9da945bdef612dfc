#include "tools/cli/exit_code.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "support/memory_limit.h"

namespace tessera::cli {

int ExitCode(const absl::Status& status) {
  if (status.ok()) return kDone;
  return absl::IsInternal(status) ? kOurBug : kBadInput;
}

int Report(std::string_view program, const absl::Status& status) {
  return Report(program, status, std::cerr);
}

int Report(std::string_view program, const absl::Status& status, std::ostream& err) {
  std::string text(status.message());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  err << program << ": " << (absl::IsInternal(status) ? "internal error, please report it: " : "")
      << absl::StrReplaceAll(text, {{"\n", "\n  "}})
      << (absl::IsResourceExhausted(status) ? support::MemoryLimitText() : "") << "\n";
  return ExitCode(status);
}

void EnterInvokingFolder() {
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  // If it is gone, paths stay relative to where we are; opening them reports so.
  if (folder != nullptr && chdir(folder) != 0) std::cerr << "cannot enter `" << folder << "`\n";
}

}  // namespace tessera::cli

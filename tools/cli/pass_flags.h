// Flags that show and steer what the passes do.
#ifndef TESSERA_TOOLS_CLI_PASS_FLAGS_H_
#define TESSERA_TOOLS_CLI_PASS_FLAGS_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/runner.h"
#include "tools/cli/command_line.h"

namespace tessera::cli {

class PassFlags {
 public:
  // The object must outlive the parsing of `line`.
  void Declare(CommandLine& line);
  // After parsing; `known` are the names of the passes that will run. Otherwise the exit code,
  // after a complaint on stderr.
  std::optional<int> Resolve(const CommandLine& line, const passes::Pipeline& known,
                             passes::RunOptions& options) const;
  bool time_passes() const { return time_passes_; }
  // What was in effect, for the artifact: `pass: off` for each that was switched off.
  const std::vector<std::string>& disabled() const { return disabled_; }

 private:
  std::vector<std::string> print_after_, print_before_, disabled_, requested_, without_;
  std::string bisect_limit_, max_folding_, shuffle_;
  bool print_on_change_ = false, time_passes_ = false, trace_ = false, strict_floats_ = false;
};

// The passes that a flag names, and, where the flag may be of all of them, `all` as `*`. Otherwise
// the exit code, after a complaint on stderr.
std::optional<int> ResolvePasses(const CommandLine& line, const passes::Pipeline& known,
                                 const char* flag, const std::vector<std::string>& given,
                                 std::set<std::string>& passes, bool may_be_all = true);

// One row per pass.
std::string PassTable(const std::vector<passes::PassReport>& reports);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_PASS_FLAGS_H_

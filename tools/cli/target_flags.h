// Flags that targets have of their own.
#ifndef TESSERA_TOOLS_CLI_TARGET_FLAGS_H_
#define TESSERA_TOOLS_CLI_TARGET_FLAGS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "targets/target.h"
#include "tools/cli/command_line.h"
#include "tools/cli/file_roles.h"

namespace tessera::cli {

class TargetFlags {
 public:
  // Those of all targets that the program links, each name once. The object must outlive the
  // parsing of `line`.
  void Declare(CommandLine& line);
  // After parsing: what was given. Otherwise the exit code, after a complaint on stderr about a
  // flag that `target` does not have (null: it has none), or about a value that it does not take.
  std::optional<int> Resolve(const CommandLine& line, const targets::Target* target,
                             targets::FlagValues& values) const;

  // After parsing: what was given for a flag that the tool itself takes too. A target that does not
  // have it is no reason to complain then. Empty: nothing.
  std::string Share(std::string_view name);
  // After parsing: what the values name that is read.
  absl::Status AddTo(FileRoles& roles) const;

 private:
  struct Given {
    std::string value;
    std::vector<std::string> values;
    bool present = false;
    targets::Flag::Reads reads = targets::Flag::Reads::kNothing;
  };
  std::map<std::string, Given, std::less<>> given_;
  std::set<std::string, std::less<>> shared_;
};

// `there is `a`` or `there are `a`, `b``, of the targets' names.
std::string TargetList();

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_TARGET_FLAGS_H_

// Flags about reproducers: where they go, which are wanted, which one is to be run again.
#ifndef TESSERA_TOOLS_CLI_REPRODUCER_FLAGS_H_
#define TESSERA_TOOLS_CLI_REPRODUCER_FLAGS_H_

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "passes/runner.h"
#include "tools/cli/command_line.h"

namespace tessera::cli {

class ReproducerFlags {
 public:
  // The object must outlive the parsing of `line`.
  void Declare(CommandLine& line);
  // After parsing. Files are named after `model`, the path of what is compiled: `unet.onnx` gives
  // `unet.3-cse.reproducer` for the third pass. Otherwise the exit code, after a complaint.
  std::optional<int> Resolve(const CommandLine& line, const passes::Pipeline& known,
                             const std::string& model, const std::string& target,
                             passes::RunOptions& options) const;
  // The file to run again; empty: none.
  const std::string& reproduce() const { return reproduce_; }

 private:
  std::string where_, reproduce_;
  std::vector<std::string> before_;
  bool weights_ = false;
};

// Runs the passes that a reproducer file names on the graph that it holds; `known` has them by
// name. Seeded values stand in for the constants that are not in the file. Says on `out` whether
// the recorded failure came again. The exit code is the failure's, kDone if the passes ran and none
// was recorded, kBadInput if what was recorded did not happen or the file is wrong.
int Reproduce(const std::string& program, const std::string& path, const passes::Pipeline& known,
              passes::RunOptions options, std::vector<passes::PassReport>& reports,
              std::ostream& out, std::ostream& err);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_REPRODUCER_FLAGS_H_

// `--dump` and `--dump-dir`.
#ifndef TESSERA_TOOLS_VIEWS_DUMP_FLAGS_H_
#define TESSERA_TOOLS_VIEWS_DUMP_FLAGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/views/dump.h"

namespace tessera::views {

class DumpFlags {
 public:
  // The object must outlive the parsing of `line`.
  void Declare(cli::CommandLine& line);
  // After parsing: null where no dump is wanted. `model` is the path of what is compiled. Otherwise
  // the exit code, after a complaint on stderr.
  std::optional<int> Resolve(const cli::CommandLine& line, const std::string& model,
                             std::unique_ptr<Dump>& dump) const;
  // Where the files are, after Resolve; the report itself if there is one.
  std::string Place(const std::string& model) const;

 private:
  std::string Folder(const std::string& model) const;

  std::vector<std::string> formats_;
  std::string folder_;
};

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_DUMP_FLAGS_H_

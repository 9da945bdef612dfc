// `--dim`, `--bind`, `--reading`, `--max-unroll` and what refuses assumptions: what every tool that
// imports a model takes.
#ifndef TESSERA_TOOLS_CLI_IMPORT_FLAGS_H_
#define TESSERA_TOOLS_CLI_IMPORT_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/import.h"
#include "tools/cli/command_line.h"
#include "tools/cli/file_roles.h"

namespace tessera::cli {

class ImportFlags {
 public:
  // The object must outlive the parsing of `line`.
  void Declare(CommandLine& line);
  // After parsing. Reads the files that `--bind` names. Otherwise the exit code, after a complaint
  // on stderr.
  std::optional<int> Resolve(const CommandLine& line, const std::string& program,
                             onnx_import::ImportOptions& options) const;

  // As given: `--dim H%2=0`, `--bind x=x.npy`.
  std::vector<std::string> Texts() const;
  // Of all that were given, also those that only refuse: `--dim`, `--strict-dims`.
  std::vector<std::string> Given() const;
  // After parsing: the files that `--bind` names.
  absl::Status AddTo(FileRoles& roles) const;

 private:
  std::vector<std::string> dims_, binds_, readings_;
  std::string max_unroll_;
  bool strict_ = false, strict_opset_ = false;
};

// What an import read besides: the model's external data.
absl::Status AddTo(FileRoles& roles, const onnx_import::ImportResult& import);

// The same of a model that is not needed yet, before hours go by. Otherwise the exit code, after a
// complaint on stderr.
std::optional<int> ClaimData(const CommandLine& line, const std::string& program,
                             const std::string& model, const onnx_import::ImportOptions& options,
                             FileRoles& roles);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_IMPORT_FLAGS_H_

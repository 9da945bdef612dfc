// `compile --compress`, with samples from `--calibrate`: the network is compressed first, into a
// file beside the artifact, and that is compiled.
#ifndef TESSERA_TOOLS_COMPILE_COMPRESSION_H_
#define TESSERA_TOOLS_COMPILE_COMPRESSION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "tools/cli/command_line.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/target_flags.h"

namespace tessera::tools {

class CompileCompression {
 public:
  // The object must outlive the parsing of `line`.
  void Declare(cli::CommandLine& line);
  // After parsing: takes `--calibrate`, which targets may have as well. An exit code where that, or
  // `--resume`, does not go together with what else was said.
  std::optional<int> Resolve(const cli::CommandLine& line, cli::TargetFlags& target_flags,
                             bool reproduces);
  bool asked() const { return !compress_.empty(); }

  // Where the compressed network goes that `artifact` is made of.
  static std::string PlaceFor(const std::string& artifact) { return artifact + ".onnx"; }
  // The files of the flags, and that one.
  absl::Status AddTo(cli::FileRoles& roles, const std::string& artifact) const;

  // Compresses `model` into PlaceFor(artifact). Says what it did, unless `quiet`; what it wrote is
  // the result, for who knows whether that will stay. Errors: of the configuration (file, line,
  // column), of samples, of the importer.
  absl::StatusOr<std::string> Run(const std::string& model,
                                  const onnx_import::ImportOptions& import,
                                  const std::string& artifact, bool quiet) const;

 private:
  std::string compress_, calibrate_, resume_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPILE_COMPRESSION_H_

// Writes an artifact as C++ source for the device's public library.
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/mapped_file.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/compile.h"
#include "targets/npu/gna_api/source.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "export";

int Main(int argc, char** argv) {
  std::string path, output, name = "network";
  cli::CommandLine line(kProgram,
                        "Writes an artifact as C++ source that builds the model's structures of "
                        "the device's public library (gna2-api.h, version 3.0).");
  line.Positional("FILE", "a .npu file", &path)
      .Value("output|o", "FILE", "the source; default: FILE with .h in place of its suffix",
             &output)
      .Value("name", "NAME", "the namespace of what it declares; default: network", &name)
      .Example("model.npu --name keywords -o keywords.h");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  cli::EnterInvokingFolder();
  if (output.empty()) output = absl::StrCat(path.substr(0, path.rfind('.')), ".h");
  if (output == path) return line.WrongUsage("the source would overwrite the artifact");
  npu::RegisterOperations();
  const absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return cli::Report(kProgram, file.status());
  const absl::StatusOr<npu::Bundle> bundle = npu::ReadArtifact(file->bytes);
  if (!bundle.ok()) return cli::Report(kProgram, bundle.status());
  const absl::StatusOr<std::string> source = npu::SourceOf(*bundle, name);
  absl::Status status = source.ok() ? support::WriteFile(output, *source) : source.status();
  if (!status.ok()) return cli::Report(kProgram, status);
  std::cout << "wrote " << output << "\n";
  return cli::kDone;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::kProgram, tessera::Main, argc, argv);
}

// `//tools:verify` with a TFLite runtime that we did not write as the target. A test by its rule,
// so that it finds that runtime, and run by hand:
//   bazel run //testing:tflite_verify -- /path/of/model.onnx --dim N=1
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "targets/circle/compile.h"
#include "testing/tflite_target.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

constexpr char kProgram[] = "tflite_verify";

int Main(int argc, char** argv) {
  verification::Request request;
  cli::ImportFlags import_flags;
  cli::CommandLine line(kProgram,
                        "Compares the artifact, in a TFLite runtime, with the reference.");
  line.Positional("MODEL", "an ONNX file", &request.model)
      .Value("data", "FOLDER", "holds `test_data_set_*`; default: the model's own", &request.data);
  import_flags.Declare(line);
  line.Example("/path/of/model.onnx --dim N=1");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  cli::EnterInvokingFolder();
  cli::LinkOps();
  circle::RegisterOperators();
  if (const std::optional<int> code = import_flags.Resolve(line, kProgram, request.options))
    return *code;
  if (request.data.empty()) {
    request.data = std::filesystem::path(request.model).parent_path().string();
    if (request.data.empty()) request.data = ".";
  }
  request.target = &TfliteTarget();
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  if (!report.ok()) return cli::Report(kProgram, report.status());
  std::cout << report->ToText();
  return report->holds() ? cli::kDone : cli::kBadInput;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main(argc, argv); }

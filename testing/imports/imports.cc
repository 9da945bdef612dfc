// imports check|update GOLDEN.txt SCHEMAS.tsv OTHERS.tsv TESTS NODES.txt: what import clauses make
// of sampled nodes is what the golden has, of operators that it knows; `update` rewrites it in the
// workspace. The other arguments are those of ReadImportInputs.
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "support/file.h"
#include "testing/imports/import_inputs.h"
#include "testing/imports/import_samples.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

int Main(const std::vector<std::string>& args) {
  if (args.size() != 6 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: imports check|update GOLDEN.txt SCHEMAS.tsv OTHERS.tsv TESTS NODES.txt\n";
    return 2;
  }
  const absl::StatusOr<ImportInputs> inputs = ReadImportInputs({args.begin() + 2, args.end()});
  if (!inputs.ok()) {
    std::cerr << inputs.status() << "\n";
    return 1;
  }
  ir::Registry::Global().Add(ops::CoreOps());
  const auto all = [](std::string_view) { return true; };
  const ImportSamples samples =
      SampleImports(ops::CoreOps(), ops::CoreExamples(), inputs->schemas, inputs->tests, all);
  if (args[0] == "update") {
    const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::string text;
    for (const std::string& pin : samples.pins) absl::StrAppend(&text, pin, "\n");
    const absl::Status written = support::WriteFile(
        absl::StrCat(workspace == nullptr ? "." : workspace, "/", args[1]), text);
    if (!written.ok()) std::cerr << written << "\n";
    return written.ok() ? 0 : 1;
  }
  const absl::StatusOr<std::string> golden = support::ReadFile(args[1]);
  if (!golden.ok()) {
    std::cerr << golden.status() << "\n";
    return 1;
  }
  // Operators that are gone, too.
  std::set<std::string> operators;
  const std::vector<std::string> lines = absl::StrSplit(*golden, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) operators.insert(line.substr(0, line.find(':')));
  const std::string mismatch = ImportMismatch(*golden, operators, samples);
  if (mismatch.empty()) return 0;
  std::cerr << mismatch << "if that is meant: bazel run //testing:update\n";
  return 1;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }

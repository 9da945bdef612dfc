// imports check|update GOLDEN.txt SCHEMAS.tsv: what import clauses make of sampled nodes is what
// the golden has, of operators that it knows; `update` rewrites it in the workspace.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "support/file.h"
#include "testing/imports/import_samples.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

int Main(const std::vector<std::string>& args) {
  if (args.size() != 3 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: imports check|update GOLDEN.txt SCHEMAS.tsv\n";
    return 2;
  }
  const absl::StatusOr<std::string> table = support::ReadFile(args[2]);
  const absl::StatusOr<OnnxSchemas> schemas =
      table.ok() ? OnnxSchemas::Read(*table) : absl::StatusOr<OnnxSchemas>(table.status());
  if (!schemas.ok()) {
    std::cerr << schemas.status() << "\n";
    return 1;
  }
  ir::Registry::Global().Add(ops::CoreOps());
  const ImportSamples samples = SampleImports(ops::CoreOps(), ops::CoreExamples(), *schemas);
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
  bool good = true;
  const auto name = [](const std::string& pin) { return pin.substr(0, pin.find(':')); };
  std::map<std::string, std::string> now;
  for (const std::string& pin : samples.pins) now[name(pin)] = pin;
  const std::vector<std::string> lines = absl::StrSplit(*golden, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const auto found = now.find(name(line));
    if (found != now.end() && found->second == line) continue;
    good = false;
    std::cerr << "was " << line << "\nis  "
              << (found == now.end() ? name(line) + ": no clause" : found->second) << "\n";
    const auto differing = samples.differences.find(name(line));
    if (differing != samples.differences.end()) std::cerr << differing->second;
  }
  if (!good) std::cerr << "if that is meant: bazel run //testing:update\n";
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }

// onnx_deviations check|update GOLDEN.txt SCHEMAS.tsv OTHERS.tsv DEFAULTS.tsv IMPORTS.tsv: that no
// import clause contradicts the schemas of ONNX, or those of others, and that what the clauses
// refuse of these, or take beyond them, is what the golden lists; `update` rewrites that in the
// workspace.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/op_sets.h"
#include "support/file.h"
#include "testing/onnx_clauses.h"
#include "testing/onnx_schemas.h"

namespace tessera::testing {
namespace {

absl::StatusOr<SchemaFindings> Find(const std::vector<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> text = support::ReadFile(path);
    if (!text.ok()) return text.status();
    texts.push_back(*std::move(text));
  }
  const absl::StatusOr<OnnxSchemas> schemas = OnnxSchemas::Read(texts[0] + texts[1]);
  if (!schemas.ok()) return schemas.status();
  const absl::StatusOr<UnstatedDefaults> defaults = ReadUnstatedDefaults(texts[2]);
  if (!defaults.ok()) return defaults.status();
  const absl::StatusOr<std::vector<ImportClause>> clauses = ReadImportClauses(texts[3]);
  if (!clauses.ok()) return clauses.status();
  return CompareWithSchemas(*clauses, *schemas, *defaults, onnx_import::kNewestOpset);
}

// Lines of the one and not of the other, each with a sign.
std::string Difference(const std::vector<std::string>& kept, const std::vector<std::string>& now) {
  std::string text;
  const std::set<std::string> old(kept.begin(), kept.end()), found(now.begin(), now.end());
  for (const std::string& line : old) {
    if (found.count(line) == 0) absl::StrAppend(&text, "< ", line, "\n");
  }
  for (const std::string& line : found) {
    if (old.count(line) == 0) absl::StrAppend(&text, "> ", line, "\n");
  }
  return text;
}

int Main(const std::vector<std::string>& args) {
  if (args.size() != 6 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: onnx_deviations check|update GOLDEN.txt SCHEMAS.tsv OTHERS.tsv "
                 "DEFAULTS.tsv IMPORTS.tsv\n";
    return 2;
  }
  const absl::StatusOr<SchemaFindings> findings = Find({args.begin() + 2, args.end()});
  if (!findings.ok()) {
    std::cerr << findings.status() << "\n";
    return 1;
  }
  for (const std::string& wrong : findings->wrong) std::cerr << wrong << "\n";
  if (args[0] == "update") {
    const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::ofstream out(absl::StrCat(workspace == nullptr ? "." : workspace, "/", args[1]),
                      std::ios::binary);
    const std::set<std::string> lines(findings->deviations.begin(), findings->deviations.end());
    for (const std::string& line : lines) out << line << "\n";
    return out.flush() && findings->wrong.empty() ? 0 : 1;
  }
  const absl::StatusOr<std::string> golden = support::ReadFile(args[1]);
  if (!golden.ok()) {
    std::cerr << golden.status() << "\n";
    return 1;
  }
  const std::string difference =
      Difference(absl::StrSplit(*golden, '\n', absl::SkipEmpty()), findings->deviations);
  if (!difference.empty())
    std::cerr << difference
              << "< as kept, > now; this rewrites goldens: bazel run //testing:update\n";
  return findings->wrong.empty() && difference.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }

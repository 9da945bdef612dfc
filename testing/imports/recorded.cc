// recorded check NODES.bin: the reference has, for every node of the file, the results that other
// implementations had (record_results.py).
// recorded keep NODES.bin OUT.bin: those of which this holds; the others are printed.
// recorded nodes OUT.bin SCHEMAS.tsv OTHERS.tsv TESTS NODES.txt: writes nodes without results, to
// ask others for them; the arguments behind OUT.bin are those of ReadImportInputs.
#include <iostream>
#include <string>
#include <vector>

#include "ir/registry.h"
#include "support/file.h"
#include "testing/imports/import_inputs.h"
#include "testing/imports/node_results.h"
#include "testing/imports/recorded_nodes.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}

namespace tessera::testing {
namespace {

int Failed(const absl::Status& status) {
  std::cerr << status << "\n";
  return 1;
}

int Write(const std::vector<std::string>& args) {
  const absl::StatusOr<ImportInputs> inputs = ReadImportInputs({args.begin() + 2, args.end()});
  if (!inputs.ok()) return Failed(inputs.status());
  const std::vector<NodeTest> nodes = NodesToRecord(ops::CoreOps(), *inputs);
  const absl::Status written = support::WriteFile(args[1], RecordedNodesText(nodes));
  if (!written.ok()) return Failed(written);
  std::cout << nodes.size() << " nodes\n";
  return 0;
}

// Where `kept` is named, writes what holds to it.
int Check(const std::string& path, const std::string& kept) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return Failed(bytes.status());
  const absl::StatusOr<std::vector<NodeTest>> tests = ParseRecordedNodes(*bytes);
  if (!tests.ok()) return Failed(tests.status());
  int wrong = 0;
  std::vector<NodeTest> good;
  for (const NodeTest& test : *tests) {
    std::string problem = ResultsOf(test).problem;
    if (problem.empty() && test.outputs.empty()) problem = "no results are recorded";
    if (problem.empty()) {
      good.push_back(test);
      continue;
    }
    ++wrong;
    std::cerr << test.name << ": " << problem << "\n" << test.model.graph().node(0).DebugString();
  }
  std::cout << tests->size() << " nodes, " << wrong << " with other results\n";
  if (kept.empty()) return wrong == 0 && !tests->empty() ? 0 : 1;
  const absl::Status written = support::WriteFile(kept, RecordedNodesText(good));
  return written.ok() ? 0 : Failed(written);
}

int Main(const std::vector<std::string>& args) {
  ir::Registry::Global().Add(ops::CoreOps());
  if (args.size() == 2 && args[0] == "check") return Check(args[1], "");
  if (args.size() == 3 && args[0] == "keep") return Check(args[1], args[2]);
  if (args.size() == 6 && args[0] == "nodes") return Write(args);
  std::cerr << "usage: recorded check NODES.bin\n"
               "       recorded keep NODES.bin OUT.bin\n"
               "       recorded nodes OUT.bin SCHEMAS.tsv OTHERS.tsv TESTS NODES.txt\n";
  return 2;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }

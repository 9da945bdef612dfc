#include "testing/mutation/node_judge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "support/file.h"
#include "testing/imports/import_samples.h"
#include "testing/imports/node_results.h"
#include "testing/imports/recorded_nodes.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::testing {

absl::StatusOr<NodeJudge> ReadNodeJudge(const std::vector<std::string>& paths) {
  if (paths.size() < 2) return absl::InvalidArgumentError("paths are missing");
  const absl::StatusOr<std::string> golden = support::ReadFile(paths[0]);
  if (!golden.ok()) return golden.status();
  const absl::StatusOr<std::string> recorded = support::ReadFile(paths[1]);
  if (!recorded.ok()) return recorded.status();
  absl::StatusOr<std::vector<NodeTest>> nodes = ParseRecordedNodes(*recorded);
  if (!nodes.ok()) return nodes.status();
  absl::StatusOr<ImportInputs> inputs = ReadImportInputs({paths.begin() + 2, paths.end()});
  if (!inputs.ok()) return inputs.status();
  NodeJudge judge{*golden, *std::move(inputs), *std::move(nodes)};
  for (const auto& [key, tests] : judge.inputs.tests) {
    std::copy_if(tests.begin(), tests.end(), std::back_inserter(judge.nodes),
                 [](const NodeTest& test) { return !test.outputs.empty(); });
  }
  return judge;
}

NodeOps NodesThatHold(const NodeJudge& judge) {
  NodeOps ops;
  for (const NodeTest& node : judge.nodes) {
    NodeResults results = ResultsOf(node);
    if (results.problem.empty()) ops.emplace(node.name, std::move(results.ops));
  }
  return ops;
}

std::string ImportComplaints(const NodeJudge& judge, const std::set<std::string>& names,
                             const std::set<std::string>& operators) {
  const auto chosen = [&](std::string_view op) { return names.count(std::string(op)) != 0; };
  const ImportSamples samples = SampleImports(ops::CoreOps(), ops::CoreExamples(),
                                              judge.inputs.schemas, judge.inputs.tests, chosen);
  return ImportMismatch(judge.golden, operators, samples);
}

std::string NodeComplaints(const NodeJudge& judge, const NodeOps& known,
                           const std::set<std::string>& names,
                           const std::set<std::string>& operators) {
  for (const NodeTest& node : judge.nodes) {
    const auto held = known.find(node.name);
    if (held == known.end()) continue;
    const onnx::NodeProto& proto = node.model.graph().node(0);
    const std::string domain = proto.domain().empty() ? "ai.onnx" : proto.domain();
    bool concerned = operators.count(absl::StrCat(domain, ".", proto.op_type())) != 0;
    for (const std::string& name : names) concerned = concerned || held->second.count(name) != 0;
    if (!concerned) continue;
    const std::string problem = ResultsOf(node).problem;
    if (!problem.empty()) return absl::StrCat(node.name, ": ", problem);
  }
  return "";
}

}  // namespace tessera::testing

#include "testing/pass_golden.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/digest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/circle/compile.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

constexpr absl::string_view kPasses = "// passes: ";
constexpr std::string_view kBecomes = "// becomes\n";

// Every pass of the two pipelines. Of a name that occurs more than once the passes are the same.
absl::StatusOr<passes::Pass> FindPass(const std::string& name) {
  std::vector<std::string> known;
  for (const passes::Pipeline& pipeline : {passes::CanonicalPipeline(), circle::CirclePipeline()}) {
    for (const passes::Pass& pass : pipeline) {
      if (pass.name == name) return pass;
      known.push_back(pass.name);
    }
  }
  return absl::NotFoundError(
      absl::StrCat("no pass `", name, "`; there are: ", absl::StrJoin(known, ", ")));
}

std::string TypesOf(const ir::Operation& op) {
  std::string text;
  for (const ir::Value* result : op.results())
    absl::StrAppend(&text, result->type().ToString(), ";");
  return text;
}

}  // namespace

absl::StatusOr<PassGolden> ParseGolden(std::string_view text) {
  PassGolden golden;
  const size_t becomes = text.find(kBecomes);
  golden.head = std::string(text.substr(0, becomes));
  if (becomes != std::string_view::npos) {
    golden.expected = std::string(text.substr(becomes + kBecomes.size()));
  }
  for (absl::string_view line : absl::StrSplit(golden.head, '\n')) {
    if (absl::ConsumePrefix(&line, kPasses)) golden.passes = absl::StrSplit(line, ", ");
  }
  if (golden.passes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no line `", kPasses, "NAME, ...`"));
  }
  return golden;
}

absl::StatusOr<std::unique_ptr<ir::Graph>> RunGolden(const PassGolden& golden,
                                                     uint64_t shuffle_seed) {
  ir::Registry::Global().Add(ops::CoreOps());
  circle::RegisterOperators();
  passes::Pipeline pipeline;
  for (const std::string& name : golden.passes) {
    absl::StatusOr<passes::Pass> pass = FindPass(name);
    if (!pass.ok()) return pass.status();
    pipeline.push_back(*std::move(pass));
  }
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(golden.head);
  if (!graph.ok()) return graph.status();
  passes::RunOptions options;
  options.shuffle_seed = shuffle_seed;
  options.print_on_failure = false;
  std::vector<passes::PassReport> reports;
  absl::Status status = passes::Run(**graph, pipeline, options, reports);
  if (!status.ok()) return status;
  return graph;
}

std::string Outcome(const PassGolden& golden) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = RunGolden(golden, 0);
  if (graph.ok()) return ir::Print(**graph);
  return absl::StrCat(
      "// refused: ", absl::StrReplaceAll(std::string(graph.status().message()), {{"\n", "\n// "}}),
      "\n");
}

uint64_t StructureOf(const ir::Graph& graph) {
  std::map<const ir::Value*, ir::Digest> digests;
  const auto refer = [&](const ir::Value* value, ir::Hasher& hasher) {
    const ir::Digest digest = value == nullptr ? ir::Digest() : digests.at(value);
    hasher.Add(digest.high);
    hasher.Add(digest.low);
  };
  for (const ir::Value* input : graph.inputs()) {
    ir::Hasher hasher;
    hasher.Add(std::string_view(input->name()));
    hasher.Add(std::string_view(input->type().ToString()));
    digests[input] = hasher.digest();
  }
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    ir::Hasher hasher;
    hasher.Add(op->info().dialect);
    hasher.Add(op->info().name);
    for (const ir::Value* operand : op->operands()) refer(operand, hasher);
    for (const ir::Value* barrier : op->barriers()) refer(barrier, hasher);
    for (size_t i = 0; i < op->attrs().size(); ++i) {
      hasher.Add(std::string_view(ir::ToString(op->attr(i), op->info().attrs[i])));
    }
    if (op->payload() != nullptr) hasher.Add(std::string_view(op->payload_digest().ToString()));
    hasher.Add(std::string_view(TypesOf(*op)));
    for (const ir::Value* result : op->results()) {
      hasher.Add(uint64_t{1});
      digests[result] = hasher.digest();
    }
    if (op->barrier() != nullptr) digests[op->barrier()] = hasher.digest();
  }
  ir::Hasher hasher;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    hasher.Add(std::string_view(graph.output_names()[i]));
    refer(graph.outputs()[i], hasher);
  }
  // Dead operations and doubled ones count too.
  hasher.Add(graph.operation_count());
  std::vector<std::string> open;
  for (const ir::Obligation& obligation : graph.obligations()) {
    open.push_back(absl::StrCat(obligation.op, " ", obligation.constraint, " ",
                                obligation.predicate.ToString()));
  }
  std::sort(open.begin(), open.end());
  for (const std::string& obligation : open) hasher.Add(std::string_view(obligation));
  return hasher.digest().low;
}

}  // namespace tessera::testing

// What is compiled for a runtime runs in it: random loops and choices, and the networks of
// testdata/nets, those that are right for some sizes with the declarations that their refusals
// name, at several sizes in the real runtimes, also such at which tensors have no entries, against
// the reference. What a runtime cannot hold is refused before anything is written.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "solver/expr.h"
#include "targets/all/all.h"
#include "targets/circle/runtimes/launch.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "testing/nets/corpus.h"
#include "testing/nets/remedy.h"
#include "testing/nets/trial.h"
#include "tools/verification/comparison.h"
#include "tools/verification/sizes.h"
#include "tools/verification/target.h"

namespace tessera::testing {
namespace {

constexpr size_t kSizes = 3;  // the least ones, and two draws
constexpr uint64_t kLoops = 40;

bool HasEntries(const ir::Graph& graph, const solver::Assignment& at) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) {
      for (const ir::Expr& dim : result->type().dims) {
        const absl::StatusOr<int64_t> size = solver::Evaluate(dim, at);
        if (!size.ok() || *size == 0) return false;
      }
    }
  }
  return true;
}

struct Run {
  std::string name, sizes;
  bool empty = false;  // a tensor has no entries
  std::vector<ir::Tensor> expected;
};
struct Counts {
  int networks = 0, refused = 0, empty = 0;
};

absl::StatusOr<onnx_import::ImportResult> ImportDeclared(const onnx::ModelProto& model) {
  auto import = Import(model, {});
  std::vector<std::string> remedy;
  for (int i = 0; i < 5 && !import.ok(); ++i) {
    const std::vector<std::string> more = Remedy(std::string(import.status().message()));
    if (more.empty()) break;
    remedy.insert(remedy.end(), more.begin(), more.end());
    import = Import(model, remedy);
  }
  return import;
}

// Compiles, and adds what is to be run.
void Prepare(const Network& network, const verification::Target& target, Counts& counts,
             std::vector<circle::Launch>& launches, std::vector<Run>& runs) {
  // Rows that are written twice: any of the two may stay.
  if (network.name == "cache_write_ring") return;
  const auto import = ImportDeclared(network.model);
  if (!import.ok()) return;
  ir::Graph& graph = *import->graph;
  const auto executor = reference::Executor::Create(graph);
  ASSERT_TRUE(executor.ok()) << network.name << ": " << executor.status();
  std::vector<Run> own;
  std::vector<std::vector<ir::Tensor>> inputs;
  for (const solver::Assignment& at : verification::ChooseSizes(graph, kSizes, 1)) {
    auto drawn = verification::RandomInputs(graph, at, 1);
    ASSERT_TRUE(drawn.ok()) << network.name << ": " << drawn.status();
    auto expected = executor->Run(*drawn);
    if (!expected.ok()) continue;  // what is left to be checked when it runs
    own.push_back({network.name, ToText(at), !HasEntries(graph, at), *std::move(expected)});
    inputs.push_back(*std::move(drawn));
  }
  if (own.empty()) return;
  ++counts.networks;
  const absl::StatusOr<std::string> artifact = target.Compile(graph);
  if (!artifact.ok()) {
    EXPECT_TRUE(absl::IsUnimplemented(artifact.status())) << network.name << artifact.status();
    std::cout << "refused: " << network.name << ": " << artifact.status().message() << "\n";
    ++counts.refused;
    return;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    counts.empty += own[i].empty ? 1 : 0;
    launches.push_back({*artifact, std::move(inputs[i])});
    runs.push_back(std::move(own[i]));
  }
}

std::string Complaint(const Run& run, const circle::LaunchOutputs& outputs, double tolerance) {
  if (!outputs.ok()) return std::string(outputs.status().message());
  if (outputs->size() != run.expected.size()) return absl::StrCat(outputs->size(), " outputs");
  for (size_t i = 0; i < outputs->size(); ++i) {
    const auto comparison = verification::Compare(run.expected[i], (*outputs)[i], tolerance);
    if (!comparison.holds) return absl::StrCat("output ", i, ": ", comparison.complaint);
  }
  return "";
}

Counts Check(const std::string& runtime) {
  RegisterOps();
  const char* const packages = std::getenv("RUNTIMES_PACKAGES");
  Counts counts;
  const auto target = verification::MakeTarget(*targets::Find("circle"),
                                               {{std::string(targets::kRuntimeFlag), {runtime}}});
  if (packages == nullptr || !target.ok()) {
    ADD_FAILURE() << "no runtimes, or " << target.status();
    return counts;
  }
  std::vector<circle::Launch> launches;
  std::vector<Run> runs;
  for (const Network& network : WrittenNetworks())
    Prepare(network, **target, counts, launches, runs);
  for (const Network& network : LoopNetworks(kLoops))
    Prepare(network, **target, counts, launches, runs);
  const auto results = circle::RunIn(runtime, packages, launches);
  EXPECT_TRUE(results.ok()) << results.status();
  for (size_t i = 0; results.ok() && i < runs.size(); ++i)
    EXPECT_EQ(Complaint(runs[i], (*results)[i], (*target)->tolerance()), "")
        << runs[i].name << " at " << runs[i].sizes;
  std::cout << runtime << ": " << counts.networks << " networks, " << counts.refused << " refused, "
            << runs.size() << " runs, " << counts.empty
            << " of them with a tensor without entries\n";
  return counts;
}

TEST(Runtimes, OnertRunsWhatIsCompiledForIt) {
  const Counts counts = Check("onert");
  EXPECT_GE(counts.networks, 490);
  // Of what assigns to parts that may be empty, or has a size that data decide and that may be 0,
  // onert takes nothing.
  EXPECT_LE(counts.refused, 37);
  EXPECT_GE(counts.empty, 100);
}

TEST(Runtimes, LitertRunsWhatIsCompiledForIt) {
  const Counts counts = Check("litert");
  EXPECT_GE(counts.networks, 490);
  EXPECT_LE(counts.refused, 4);
  EXPECT_GE(counts.empty, 110);
}

}  // namespace
}  // namespace tessera::testing

// What is accepted for all sizes ends in an error at none: ONNX's own tests of single nodes with
// their dims made symbolic, and random networks, each tried at sizes that they were not made for.
// With dims fixed the same network must import, and have results of the same shapes and values.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "testing/nets/corpus.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

constexpr int64_t kMost = 6;  // of each dim

struct Counts {
  int accepted = 0, refused = 0, runs = 0;
};

// Everything that `model` accepts must run.
void Check(const std::string& name, const onnx::ModelProto& model, size_t trials, Counts& counts) {
  const auto import = Import(model, {});
  if (!import.ok()) {
    EXPECT_FALSE(absl::IsInternal(import.status())) << name << ": " << import.status();
    ++counts.refused;
    return;
  }
  ++counts.accepted;
  EXPECT_TRUE(import->graph->obligations().empty()) << name;
  for (const solver::Assignment& at : Sizes(SymbolsOf(model), kMost, trials, counts.accepted)) {
    const std::string difference = Difference(*import->graph, Try(model, at));
    EXPECT_EQ(difference, "") << name << " at " << ToText(at);
    ++counts.runs;
  }
}

TEST(AcceptedSizes, OfTheNodesInTheStandardsTests) {
  RegisterOps();
  Counts counts;
  for (const Network& network : NodeTests()) Check(network.name, network.model, 3, counts);
  EXPECT_GT(counts.accepted, 500);
  EXPECT_GT(counts.refused, 300);
  EXPECT_GT(counts.runs, 1000);
}

TEST(AcceptedSizes, OfRandomNetworks) {
  RegisterOps();
  Counts counts;
  for (const Network& network : RandomNetworks(300)) Check(network.name, network.model, 8, counts);
  EXPECT_GE(counts.accepted, 60);
  EXPECT_GE(counts.refused, 100);
}

}  // namespace
}  // namespace tessera::testing

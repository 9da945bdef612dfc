// Small networks under testdata/nets, each with whether it is right for all sizes, for some, or for
// none: that is tried at many sizes; then what is said of all of them must agree, a size that is
// said to break a network must break it, and declarations that are said to mend it must do so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "onnx/defs/parser.h"
#include "targets/reference/executor.h"
#include "testing/nets/corpus.h"
#include "testing/nets/remedy.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

constexpr size_t kTrials = 64;

// The least sizes of each symbol, and beyond what 8 bits hold.
std::vector<solver::Assignment> SizesFor(const Network& network) {
  const std::vector<std::string> symbols = SymbolsOf(network.model);
  const int64_t most = symbols.size() == 1 ? 40 : symbols.size() == 2 ? 8 : 4;
  std::vector<solver::Assignment> sizes = Sizes(symbols, most, kTrials, 1);
  if (symbols.size() == 1) sizes.push_back({{symbols[0], 300}});
  return sizes;
}

std::vector<int64_t> Ranks(const Trial& trial) {
  std::vector<int64_t> ranks;
  for (const ir::Tensor& result : *trial.results) ranks.push_back(result.rank());
  return ranks;
}

// `A=1, B=2` behind the first `is false for`; other symbols are `rest`.
solver::Assignment Counterexample(const std::string& refusal,
                                  const std::vector<std::string>& symbols, int64_t rest) {
  solver::Assignment at;
  for (const std::string& symbol : symbols) at[symbol] = rest;
  const std::string marker = " is false for ";
  const size_t from = refusal.find(marker);
  if (from == std::string::npos) return {};
  const size_t to = refusal.find_first_of(";)", from);
  for (const std::string& part : std::vector<std::string>(
           absl::StrSplit(refusal.substr(from + marker.size(), to - from - marker.size()), ", "))) {
    const std::vector<std::string> sides = absl::StrSplit(part, '=');
    int64_t size = 0;
    if (sides.size() == 2 && absl::SimpleAtoi(sides[1], &size)) at[sides[0]] = size;
  }
  return at;
}

class NetworkTest : public ::testing::TestWithParam<Network> {
 protected:
  static void SetUpTestSuite() { RegisterOps(); }
};

TEST_P(NetworkTest, WhatIsSaidOfAllSizesHoldsAtEach) {
  const Network& network = GetParam();
  const std::vector<std::string> symbols = SymbolsOf(network.model);
  const std::vector<solver::Assignment> sizes = SizesFor(network);
  std::vector<Trial> trials;
  for (const solver::Assignment& at : sizes) trials.push_back(Try(network.model, at));
  // Right where it runs, with results of the ranks that they have at large sizes.
  std::vector<int64_t> ranks;
  for (const Trial& trial : trials) {
    if (trial.results.ok()) ranks = Ranks(trial);
  }
  const auto right = [&](const Trial& trial) {
    return trial.results.ok() && Ranks(trial) == ranks;
  };
  const auto count = std::count_if(trials.begin(), trials.end(), right);
  const std::string truth = count == 0                                    ? "none"
                            : static_cast<size_t>(count) == trials.size() ? "all"
                                                                          : "some";
  ASSERT_EQ(truth, network.truth);

  const auto import = Import(network.model, {});
  if (truth == "all") {
    ASSERT_TRUE(import.ok()) << import.status();
    EXPECT_TRUE(import->graph->obligations().empty());
    for (size_t i = 0; i < trials.size(); i += 7)
      EXPECT_EQ(Difference(*import->graph, trials[i]), "") << ToText(sizes[i]);
    return;
  }
  ASSERT_FALSE(import.ok()) << "accepted";
  const std::string refusal(import.status().message());
  if (truth == "none") return;
  const solver::Assignment breaking = Counterexample(refusal, symbols, 2);
  ASSERT_FALSE(breaking.empty()) << refusal;
  EXPECT_FALSE(right(Try(network.model, breaking))) << refusal;

  // One problem after the other.
  std::vector<std::string> remedy = Remedy(refusal);
  if (remedy.empty()) return;
  auto mended = Import(network.model, remedy);
  for (int i = 0; i < 4 && !mended.ok(); ++i) {
    for (const std::string& more : Remedy(std::string(mended.status().message())))
      remedy.push_back(more);
    mended = Import(network.model, remedy);
  }
  ASSERT_TRUE(mended.ok()) << refusal << "\n" << mended.status();
  // Sizes that are not as declared are for the executor to refuse.
  size_t admitted = 0;
  for (size_t i = 0; i < trials.size(); ++i) {
    std::vector<std::string> declared = remedy;
    for (const auto& [name, size] : sizes[i]) declared.push_back(absl::StrCat(name, "=", size));
    if (!Import(network.model, declared).ok()) continue;
    ++admitted;
    EXPECT_EQ(Difference(*mended->graph, trials[i]), "") << ToText(sizes[i]) << "\n" << refusal;
  }
  EXPECT_GT(admitted, 0u) << refusal;
}

INSTANTIATE_TEST_SUITE_P(All, NetworkTest, ::testing::ValuesIn(WrittenNetworks()),
                         [](const auto& info) { return info.param.model.graph().name(); });

// No cube is the sum of two, which nothing here knows: it is left to be checked when the network
// runs, though nothing of the arithmetic on sizes is left.
TEST(Networks, WhatArithmeticOnSizesOwesOutlivesIt) {
  RegisterOps();
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(R"(<ir_version: 8, opset_import: ["" : 17]>
cubes (float[A] x, float[B] y, float[C] z) => (float w) <int64[1] one = {1}> {
  a = Shape (x)  a2 = Mul (a, a)  a3 = Mul (a2, a)
  b = Shape (y)  b2 = Mul (b, b)  b3 = Mul (b2, b)
  c = Shape (z)  c2 = Mul (c, c)  c3 = Mul (c2, c)
  s = Add (a3, b3)  d = Sub (s, c3)  q = Div (a, d)  m = Max (q, one)  w = ConstantOfShape (m)
})")
                          .Parse(model);
  ASSERT_TRUE(status.IsOK()) << status.ErrorMessage();
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const auto import = Import(model, {});
  ASSERT_TRUE(import.ok()) << import.status();
  std::vector<std::string> open;
  for (const ir::Obligation& obligation : import->graph->obligations())
    open.push_back(obligation.constraint);
  EXPECT_EQ(open, std::vector<std::string>{"divisor"});
  EXPECT_EQ(Difference(*import->graph, Try(model, {{"A", 3}, {"B", 4}, {"C", 5}})), "");
}

// Of 4 entries all may be chosen, of 3 never four: sizes say the one, data the other.
TEST(Networks, WhatDataDecideIsSeenWhenTheNetworkRuns) {
  RegisterOps();
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(R"(<ir_version: 8, opset_import: ["" : 17]>
chosen (float[N] x) => (float y) <float zero = {0}, int64[1] four = {4}> {
  c = Greater (x, zero)  k = Compress (x, c)  y, i = TopK (k, four)
})")
                          .Parse(model);
  ASSERT_TRUE(status.IsOK()) << status.ErrorMessage();
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const auto refused = Import(model, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(Remedy(std::string(refused.status().message())), std::vector<std::string>{"N=4.."});

  const auto import = Import(model, {"N=4.."});
  ASSERT_TRUE(import.ok()) << import.status();
  ASSERT_EQ(import->graph->obligations().size(), 1u);
  EXPECT_EQ(import->graph->obligations()[0].constraint, "enough");
  const auto executor = reference::Executor::Create(*import->graph);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const auto run = [&](const std::vector<float>& x) {
    return executor->Run({ir::Tensor::Of<float>(ir::DType::kF32, {5}, x)});
  };
  const auto results = run({1, 0, 2, 3, 4});
  ASSERT_TRUE(results.ok()) << results.status();
  const auto broken = run({1, 0, 2, 0, 4});
  ASSERT_FALSE(broken.ok());
  for (const char* part : {"count_1=3", "constraint `enough`", "fewer than 4 entries"})
    EXPECT_NE(broken.status().message().find(part), std::string::npos) << broken.status();
}

TEST(Networks, AreMany) { EXPECT_GE(WrittenNetworks().size(), 80u); }

}  // namespace
}  // namespace tessera::testing

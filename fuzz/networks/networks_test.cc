// A few hundred random networks to the first target in every run of the suite; and that what is
// compared would show a defect, and how small it becomes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "fuzz/networks/generator.h"
#include "fuzz/networks/judge.h"
#include "ir/text.h"
#include "targets/all/all.h"
#include "testing/sampling/all_checks.h"

namespace tessera::fuzz {
namespace {

const verification::Target& First() { return *verification::FindTarget(targets::All()[0]->name()); }

const std::vector<testing::Subject>& Subjects() {
  static const auto* const subjects = new std::vector<testing::Subject>(testing::CoreSubjects());
  return *subjects;
}

TEST(Networks, HoldOrAreRefusedWithAReason) {
  Generator generator(Subjects());
  int held = 0;
  std::set<std::string> ops;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Recipe recipe = Tempered(generator.Make(seed, 16), seed);
    std::set<std::string> refusals;
    const Verdict verdict = JudgeWhatIsTaken(recipe, First(), seed, refusals);
    EXPECT_NE(verdict.kind, Verdict::kFinding) << "seed " << seed << ": " << verdict.reason << "\n"
                                               << verdict.detail;
    if (verdict.kind != Verdict::kHolds) continue;
    ++held;
    for (const Step& step : recipe.steps) ops.insert(std::string(step.info->name));
  }
  // Else the generator makes nothing, or nothing that can be compared.
  EXPECT_GE(held, 120);
  EXPECT_GE(ops.size(), 100u);
}

TEST(Networks, AreTheSameForTheSameSeed) {
  for (const uint64_t seed : {3, 4}) {
    std::string texts[2];
    for (std::string& text : texts) {
      Generator generator(Subjects());
      ir::Graph graph;
      std::vector<ir::Value*> values;
      ASSERT_TRUE(Build(generator.Make(seed, 12), graph, values).ok());
      text = ir::Print(graph);
    }
    EXPECT_EQ(texts[0], texts[1]);
  }
}

// Adds one to the last element of every output that came through a multiplication.
class Broken final : public verification::Target {
 public:
  std::string_view name() const override { return "broken"; }
  double tolerance() const override { return 1e-5; }
  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    broken_ = absl::StrContains(ir::Print(graph), "core.Mul(");
    return First().Compile(graph);
  }
  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    absl::StatusOr<std::vector<ir::Tensor>> outputs = First().Execute(artifact, inputs);
    if (!outputs.ok() || !broken_) return outputs;
    for (ir::Tensor& output : *outputs) {
      std::vector<double> values;
      for (int64_t i = 0; i < output.size(); ++i) values.push_back(output.AsDouble(i));
      if (!values.empty()) values.back() += 1;
      output = ir::Tensor::Of<double>(output.dtype(), output.shape(), values);
    }
    return outputs;
  }

 private:
  mutable bool broken_ = false;
};

TEST(Networks, ADefectIsFoundAndReduced) {
  Generator generator(Subjects());
  const Broken broken;
  int found = 0;
  for (uint64_t seed = 1; seed <= 200 && found < 3; ++seed) {
    const Recipe recipe = Tempered(generator.Make(seed, 16), seed);
    const Verdict verdict = Judge(recipe, broken, seed);
    if (verdict.kind != Verdict::kFinding || recipe.steps.size() < 4) continue;
    ++found;
    const Recipe reduced = Reduced(recipe, broken, seed, verdict.reason);
    EXPECT_LE(reduced.steps.size(), 3u);
    EXPECT_EQ(Judge(reduced, broken, seed).kind, Verdict::kFinding);
  }
  EXPECT_EQ(found, 3);
}

// What is written to one place twice is part of what an operation does.
TEST(Networks, PositionsAreEqualNowAndThen) {
  Generator generator(Subjects());
  std::set<std::string> ops;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    for (const Step& step : generator.Make(seed, 16).steps) {
      if (!step.info->name.starts_with("Scatter") || !step.operands[1].constant) continue;
      const ir::Tensor& positions = *step.operands[1].constant;
      std::set<int64_t> places;
      for (int64_t i = 0; i < positions.size(); ++i) places.insert(positions.AsInt(i));
      if (static_cast<int64_t>(places.size()) < positions.size())
        ops.insert(std::string(step.info->name));
    }
  }
  EXPECT_FALSE(ops.empty());
}

}  // namespace
}  // namespace tessera::fuzz

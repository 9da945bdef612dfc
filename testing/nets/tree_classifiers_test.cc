// Classifiers of decision trees: what their text leaves open is as ONNX Runtime 1.32 answers.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/tensor.h"
#include "onnx/defs/parser.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

// One tree, of which rows up to 0.5 end in leaf 1 and others in leaf 2.
onnx::ModelProto Tree(const std::string& attributes) {
  onnx::ModelProto model;
  const std::string text = absl::StrCat(
      "<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 3]>\n"
      "g (float[N,1] x) => (int64[N] l, float[N,C] s) { l, s = ai.onnx.ml.TreeEnsembleClassifier <"
      "nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], "
      "nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_values = [0.5, 0.0, 0.0], "
      "nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], ",
      attributes, "> (x) }");
  const auto status = onnx::OnnxParser(text.c_str()).Parse(model);
  EXPECT_TRUE(status.IsOK()) << text << "\n" << status.ErrorMessage();
  return model;
}

// Both leaves vote for one class.
std::string OneClass(const std::string& id, const std::string& weights) {
  return absl::StrReplaceAll(
      "classlabels_int64s = [10, 11], class_treeids = [0, 0], class_nodeids = [1, 2], "
      "class_ids = [ID, ID], class_weights = [W]",
      {{"ID", id}, {"W", weights}});
}
// Of three classes, leaf 1 votes for the first two and leaf 2 for the last two.
std::string ThreeClasses(const std::string& weights) {
  return absl::StrCat(
      "classlabels_int64s = [10, 11, 12], class_treeids = [0, 0, 0, 0], "
      "class_nodeids = [1, 1, 2, 2], class_ids = [0, 1, 2, 1], class_weights = [",
      weights, "]");
}

struct Case {
  std::string attributes;
  std::vector<int64_t> labels;
  std::vector<float> scores;
};

TEST(TreeClassifiers, AnswerAsOnnxRuntimeWhereTheTextIsSilent) {
  RegisterOps();
  const std::vector<Case> cases = {
      {OneClass("0", "0.25, 0.75"), {10, 11}, {0.75, 0.25, 0.25, 0.75}},
      {OneClass("0", "-0.25, 0.75"), {10, 11}, {0.25, -0.25, -0.75, 0.75}},
      {OneClass("0", "0.0, 0.25"), {10, 10}, {1, 0, 0.75, 0.25}},
      {OneClass("0", "0.25, 0.75") + ", base_values = [0.5]", {11, 11}, {0.25, 0.75, -0.25, 1.25}},
      {OneClass("0", "0.0, 0.0") + ", post_transform = \"LOGISTIC\"",
       {10, 10},
       {0.5, 0.5, 0.5, 0.5}},
      {OneClass("1", "0.25, 0.75"), {10, 11}, {0, 0.25, 0, 0.75}},
      {OneClass("1", "-0.25, 0.25"), {10, 11}, {0, -0.25, 0, 0.25}},
      {ThreeClasses("-0.25, -0.75, -0.5, 0.5"), {10, 11}, {-0.25, -0.75, 0, 0, 0.5, -0.5}},
      {ThreeClasses("0.25, 0.75, 0.5, 0.5") + ", base_values = [0.5, -0.5, 0.25]",
       {10, 12},
       {0.75, 0.25, 0.25, 0.5, 0, 0.75}},
  };
  const float rows[] = {0, 1};
  for (const Case& c : cases) {
    const auto import = Import(Tree(c.attributes), {});
    ASSERT_TRUE(import.ok()) << c.attributes << "\n" << import.status();
    const auto classes = static_cast<int64_t>(c.scores.size() / 2);
    const Trial trial = {
        {ir::Tensor::Of<float>(ir::DType::kF32, {2, 1}, rows)},
        std::vector<ir::Tensor>{ir::Tensor::Of<int64_t>(ir::DType::kI64, {2}, c.labels),
                                ir::Tensor::Of<float>(ir::DType::kF32, {2, classes}, c.scores)}};
    EXPECT_EQ(Difference(*import->graph, trial), "") << c.attributes;
  }
}

TEST(TreeClassifiers, WhatIsRefusedSaysWhy) {
  RegisterOps();
  const std::string votes =
      "class_treeids = [0, 0], class_nodeids = [1, 2], class_ids = [0, 1], "
      "class_weights = [1.0, 1.0]";
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"classlabels_strings = [\"cat\", \"dog\"], " + votes,
       "labels that are strings, `classlabels_strings`, are not supported"},
      {absl::StrReplaceAll(OneClass("0", "1.0, 1.0"), {{"[10, 11]", "[1]"}}),
       "1 classes, of which none is chosen"},
      {"classlabels_int64s = [0, 1], base_values = [1.0, 1.0], " + votes,
       "what 2 base values add to two classes is said differently by different runtimes"},
      {OneClass("0", "1.0, 1.0") + ", post_transform = \"PROBIT\"",
       "PROBIT of one score for two classes"},
      {OneClass("2", "1.0, 1.0"), "a vote for none of 2 classes"},
  };
  for (const auto& [attributes, reason] : refusals) {
    const auto import = Import(Tree(attributes), {});
    ASSERT_FALSE(import.ok()) << attributes;
    EXPECT_TRUE(absl::StrContains(std::string(import.status().message()), reason))
        << import.status();
  }
}

}  // namespace
}  // namespace tessera::testing

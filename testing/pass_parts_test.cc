// A pass that does not say that it reads the values of constants makes the same of a network
// whatever they are: each such pass of each target is run on the graph that it is given, and on the
// same with other weights.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/text.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/all/all.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

using Constants = std::map<std::string, ir::Tensor>;

Constants ConstantsOf(const ir::Graph& graph) {
  Constants constants;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->payload() != nullptr)
      constants.emplace(op->payload_digest().ToString(), *op->payload());
  }
  return constants;
}

ir::Tensor Changed(const ir::Tensor& tensor) {
  if (tensor.dtype() != ir::DType::kF32) return tensor;
  std::vector<float> values(tensor.data<float>(), tensor.data<float>() + tensor.size());
  for (float& value : values) value = 0.5f * value + 0.125f;
  return ir::Tensor::Of<float>(tensor.dtype(), tensor.shape(), values);
}

// Without what constants are told apart by.
std::string Structure(const ir::Graph& graph) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(ir::Print(graph, {false, 0}), '\n')) {
    const size_t at = line.find(" digest ");
    if (at == line.npos) {
      lines.emplace_back(line);
    } else {
      lines.push_back(absl::StrCat(line.substr(0, at), line.substr(line.find(" : ", at))));
    }
  }
  return absl::StrJoin(lines, "\n");
}

// What a pass makes of a graph, or how it refuses.
std::string Made(const passes::Pass& pass, const std::string& text, const Constants& constants,
                 bool change) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph =
      ir::Parse(text, [&](const ir::Digest& digest) -> absl::StatusOr<ir::Tensor> {
        const ir::Tensor& tensor = constants.at(digest.ToString());
        return change ? Changed(tensor) : tensor;
      });
  if (!graph.ok()) return absl::StrCat("not read: ", graph.status().ToString());
  passes::PassContext context;
  const absl::StatusOr<passes::PassResult> result = pass.run(**graph, context);
  return result.ok() ? Structure(**graph) : absl::StrCat("refused: ", result.status().ToString());
}

// The passes that did not read constants, as they say; those that did by what they made.
struct Found {
  std::set<std::string> held, wrong;
};

Found Judge(const std::string& model, passes::Pipeline pipeline) {
  ir::Registry::Global().Add(ops::CoreOps());
  Found found;
  absl::StatusOr<onnx_import::ImportResult> import = onnx_import::ImportFile(model, {});
  EXPECT_TRUE(import.ok()) << import.status();
  if (!import.ok()) return found;
  passes::RunOptions options;
  options.before = [&](const passes::Pass& pass, const ir::Graph& graph) {
    if ((pass.effects.reads & passes::kConstants) != 0) return;
    const std::string text = ir::Print(graph, {true, 0});
    const Constants constants = ConstantsOf(graph);
    const std::string made = Made(pass, text, constants, false);
    EXPECT_FALSE(absl::StartsWith(made, "not read")) << made;
    (made == Made(pass, text, constants, true) ? found.held : found.wrong).insert(pass.name);
  };
  std::vector<passes::PassReport> reports;
  const absl::Status status = passes::Run(*import->graph, pipeline, options, reports);
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

constexpr const char* kModels[] = {"testdata/unet_d1_padded/model.onnx",
                                   "testdata/kws_dscnn/model.onnx"};

TEST(PassParts, WhatIsNotReadMakesNoDifference) {
  std::set<std::string> held;
  for (const targets::Target* target : targets::All()) {
    for (const char* model : kModels) {
      SCOPED_TRACE(absl::StrCat(std::string(target->name()), ", ", model));
      target->Register();
      const auto compilation = target->Configure({});
      if (!compilation.ok()) continue;  // it asks for flags
      passes::Pipeline pipeline = passes::CanonicalPipeline();
      for (const passes::Pass& pass : (*compilation)->pipeline()) pipeline.push_back(pass);
      const Found found = Judge(model, pipeline);
      EXPECT_EQ(found.wrong, std::set<std::string>());
      held.insert(found.held.begin(), found.held.end());
    }
  }
  EXPECT_GE(held.size(), 5u);
}

TEST(PassParts, WhatIsReadInSecretIsFound) {
  // Goes by the first number of the first weights: it knows those that it met first.
  const auto known = std::make_shared<std::optional<double>>();
  const auto run = [known](ir::Graph& graph,
                           passes::PassContext&) -> absl::StatusOr<passes::PassResult> {
    for (const ir::Operation* op : graph.TopologicalOrder()) {
      if (op->payload() == nullptr || op->payload()->dtype() != ir::DType::kF32) continue;
      const double first = op->payload()->AsDouble(0);
      if (!known->has_value()) *known = first;
      if (**known != first) return passes::PassResult();
      ir::Rewriter rewriter(graph);
      const absl::StatusOr<ir::Operation*> bent =
          rewriter.Create(*ir::Registry::Global().Find("core", "Tanh"), {graph.outputs()[0]}, {});
      if (!bent.ok()) return bent.status();
      if (absl::Status status = rewriter.SetOutput(0, (*bent)->result()); !status.ok())
        return status;
      return passes::PassResult{true, 1};
    }
    return passes::PassResult();
  };
  const Found found = Judge(kModels[0], {{"secret",
                                          "",
                                          passes::Phase::kOptimize,
                                          passes::Numerics::kExact,
                                          {passes::kLinks, passes::kLinks | passes::kOperators},
                                          run}});
  EXPECT_EQ(found.wrong, std::set<std::string>{"secret"});
}

}  // namespace
}  // namespace tessera::testing

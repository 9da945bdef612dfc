// Every example of every core definition whose operands are floats, through the lowerings for the
// NPU: what the plan for a device computes in floats is what the definition says. Each runs with
// all operands as inputs, with all but the first one as constants, and so again with the first axis
// of what is left coming entry by entry. What has a form is in a golden, by name and devices.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "support/file.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/legalization/run_plan.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::npu {
namespace {

// Sums are taken in another order, and a maximum is a difference added again.
constexpr double kTolerance = 2e-4;
constexpr const char* kDevices[] = {"gna-2.0", "gna-3.5"};

enum class Given : uint8_t { kInputs, kNumbers, kEntries };

struct Case {
  const ops::OpExamples* op;
  const ops::Example* example;
  Given given;
  std::string name;  // `OP example N`, which does not change with the lines of the definition
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const ops::OpExamples& op : ops::CoreExamples()) {
    int number = 0;
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      const std::string name = absl::StrCat(op.op, " example ", ++number);
      if (example.operands.size() > 1) cases.push_back({&op, &example, Given::kInputs, name});
      cases.push_back({&op, &example, Given::kNumbers, name + ", numbers"});
      cases.push_back({&op, &example, Given::kEntries, name + ", entries"});
    }
  }
  return cases;
}

struct Network {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;
};

// Unimplemented: nothing that the device could have.
absl::Status Build(const Case& c, Network& network) {
  const ir::OpInfo& info = *ir::Registry::Global().Find(c.op->dialect, c.op->op);
  ir::Rewriter rewriter(network.graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(c.op->op));
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < c.example->operands.size(); ++i) {
    if (!c.example->operands[i].present) {
      operands.push_back(nullptr);
      continue;
    }
    absl::StatusOr<ir::Tensor> tensor = testing::TensorOf(c.example->operands[i], 18 + i);
    if (!tensor.ok()) return tensor.status();
    const bool needed = info.operands[std::min(i, info.operands.size() - 1)].elements;
    if (needed || (c.given != Given::kInputs && !network.inputs.empty())) {
      operands.push_back(rewriter.CreateConstant(*std::move(tensor)));
      continue;
    }
    if (tensor->dtype() != ir::DType::kF32 || tensor->size() == 0)
      return absl::UnimplementedError("the device has floats");
    std::vector<ir::Expr> dims(tensor->shape().begin(), tensor->shape().end());
    if (c.given == Given::kEntries) {
      if (dims.size() < 2) return absl::UnimplementedError("no axis of entries");
      dims[0] = network.graph.context().Symbol("N");
    }
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {tensor->dtype(), std::move(dims)});
    if (!input.ok()) return input.status();
    operands.push_back(*input);
    network.inputs.push_back(*std::move(tensor));
  }
  if (network.inputs.empty()) return absl::UnimplementedError("nothing comes in");
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < c.example->attrs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(c.example->attrs[i]))
      attrs.emplace_back(info.attrs[i].name, c.example->attrs[i]);
  }
  const std::vector<ir::Value*> results = builder.Create(c.op->dialect, c.op->op, operands, attrs);
  if (!builder.ok())
    return c.given == Given::kEntries ? absl::UnimplementedError("rests on its sizes")
                                      : builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]->type().dtype != ir::DType::kF32)
      return absl::UnimplementedError("the device has floats");
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

struct Outcome {
  bool has_form = false;
  std::string failure;
};

Outcome Run(const Case& c, const char* device) {
  const auto failed = [](const absl::Status& status) -> Outcome {
    if (absl::IsUnimplemented(status)) return {};
    return {false, status.ToString()};
  };
  Network network;
  if (absl::Status built = Build(c, network); !built.ok()) return failed(built);
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(network.graph);
  if (!reference.ok()) return failed(reference.status());
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(network.inputs);
  if (!expected.ok()) return failed(expected.status());
  passes::Pipeline pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : LegalizationPipeline()) pipeline.push_back(pass);
  std::vector<passes::PassReport> reports;
  if (absl::Status s = passes::Run(network.graph, pipeline, {}, reports); !s.ok()) return failed(s);
  const absl::StatusOr<Plan> plan = Legalize(network.graph, *FindDevice(device), {});
  if (!plan.ok()) return failed(plan.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = RunPlan(*plan, network.inputs);
  if (!actual.ok()) return {true, std::string(actual.status().message())};
  if (actual->size() != expected->size()) return {true, "another number of results"};
  for (size_t i = 0; i < actual->size(); ++i) {
    const std::string difference = testing::Difference((*actual)[i], (*expected)[i], kTolerance);
    if (!difference.empty()) return {true, absl::StrCat("result ", i, ": ", difference)};
  }
  return {true, ""};
}

// The devices that have a form, and what failed.
std::pair<std::string, std::string> RunAll(const Case& c) {
  std::string devices, failures;
  for (const char* device : kDevices) {
    const Outcome outcome = Run(c, device);
    if (outcome.has_form) absl::StrAppend(&devices, devices.empty() ? "" : " ", device);
    if (!outcome.failure.empty()) absl::StrAppend(&failures, device, ": ", outcome.failure, "\n");
  }
  return {devices, failures};
}

using Golden = std::map<std::string, std::string>;  // devices by case

Golden ReadGolden(const std::string& text) {
  Golden golden;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const size_t colon = line.find(": ");
    golden[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return golden;
}

class BodyTest : public ::testing::Test {
 public:
  explicit BodyTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void Register(const std::vector<Case>& cases, const Golden& golden) {
  std::map<std::string, int> named;
  for (const Case& c : cases) {
    std::string name = absl::StrCat("line", c.example->line, "_", static_cast<int>(c.given));
    const int number = ++named[absl::StrCat(c.op->op, ".", name)];
    if (number > 1) absl::StrAppend(&name, "_", number);
    ::testing::RegisterTest(c.op->op.c_str(), name.c_str(), nullptr, nullptr, c.op->file.c_str(),
                            c.example->line, [&]() -> ::testing::Test* {
                              return new BodyTest([&] {
                                const auto [devices, failures] = RunAll(c);
                                EXPECT_EQ(failures, "");
                                const auto expected = golden.find(c.name);
                                EXPECT_EQ(devices, expected == golden.end() ? "" : expected->second)
                                    << "bazel run //testing:update writes what has a form";
                              });
                            });
  }
  ::testing::RegisterTest("Golden", "names_what_there_is", nullptr, nullptr, __FILE__, __LINE__,
                          [&]() -> ::testing::Test* {
                            return new BodyTest([&] {
                              std::map<std::string, int> names;
                              for (const Case& c : cases) ++names[c.name];
                              for (const auto& [name, devices] : golden)
                                EXPECT_EQ(names[name], 1) << name;
                            });
                          });
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ir::Registry::Global().Add(ops::CoreOps());
  RegisterLayers();
  static const std::vector<Case> cases = Cases();
  const std::string mode = argc == 3 ? argv[1] : "";
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (mode == "update" && workspace != nullptr) {
    std::string text;
    for (const Case& c : cases) {
      const std::string devices = RunAll(c).first;
      if (!devices.empty()) absl::StrAppend(&text, c.name, ": ", devices, "\n");
    }
    const absl::Status written = support::WriteFile(std::string(workspace) + "/" + argv[2], text);
    if (!written.ok()) std::cerr << written << "\n";
    return written.ok() ? 0 : 1;
  }
  const absl::StatusOr<std::string> text =
      mode == "check" ? support::ReadFile(argv[2])
                      : absl::InvalidArgumentError("usage: examples_test check|update GOLDEN");
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 2;
  }
  static const Golden golden = ReadGolden(*text);
  Register(cases, golden);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::npu

int main(int argc, char** argv) { return tessera::npu::Main(argc, argv); }

// Every example of every core definition on a device: compiled, written, loaded, run, and compared
// with the reference. What no kernel computes is in a golden, by name and reason.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "passes/runner.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "testing/example_case.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& VulkanExamples();
}  // namespace tessera::ops

namespace tessera::vulkan {

const targets::Target& TheTarget();

namespace {

// Sums are taken in f32, functions are the device's.
constexpr double kTolerance = 1e-4;

struct Named {
  const ops::OpExamples* op;
  const ops::Example* example;
  std::string name;  // `OP example N`, which does not change with the lines of the definition
};

ops::Literal Random(std::vector<int64_t> shape) {
  ops::Literal literal;
  literal.random = true;
  literal.shape = std::move(shape);
  return literal;
}

// Convolutions of so many channels that a lowering takes them apart, with tiles that the images end
// in; the examples of definitions are of sizes at which all values can be proved.
const ops::OpExamples& LargeConvolutions() {
  static const ops::OpExamples* const kLarge = [] {
    auto* large = new ops::OpExamples{"core", "Conv", "ops_defs/conv.op", false, {}, {}, {}};
    const auto add = [&](std::vector<int64_t> image, int64_t filters, bool bias) {
      ops::Example example;
      const int64_t channels = image[1];
      example.operands = {Random(std::move(image)), Random({filters, channels, 3, 3})};
      example.operands.push_back(bias ? Random({filters}) : ops::Literal{.present = false});
      example.attrs.resize(
          5);  // strides, dilations, padding before and behind, groups: as they are
      large->examples.push_back(std::move(example));
    };
    add({1, 32, 15, 20}, 32, true);
    add({3, 40, 12, 17}, 36, false);
    return large;
  }();
  return *kLarge;
}

std::vector<Named> Cases() {
  std::vector<Named> cases;
  int large = 0;
  for (const ops::Example& example : LargeConvolutions().examples)
    cases.push_back({&LargeConvolutions(), &example, absl::StrCat("large convolution ", ++large)});
  for (const auto* list : {&ops::CoreExamples(), &ops::VulkanExamples()}) {
    for (const ops::OpExamples& op : *list) {
      int number = 0;
      for (const ops::Example& example : op.examples) {
        if (!example.reject)
          cases.push_back({&op, &example, absl::StrCat(op.op, " example ", ++number)});
      }
    }
  }
  return cases;
}

struct Outcome {
  std::string refused;
  std::string failure;
};

Outcome Failed(const absl::Status& status) { return {"", std::string(status.message())}; }

Outcome Run(const Named& named) {
  testing::Case c;
  ir::Graph graph;
  absl::Status status = testing::Prepare(*named.op, *named.example, c);
  if (status.ok()) status = testing::BuildGraph(c, false, graph);
  if (!status.ok()) return Failed(status);
  // Operands whose values inference needs are constants of the graph.
  std::vector<ir::Tensor> inputs;
  for (const ir::Value* input : graph.inputs())
    inputs.push_back(*c.operands[static_cast<size_t>(std::stoi(input->name().substr(2)))]);
  const absl::StatusOr<reference::Executor> reference = reference::Executor::Create(graph);
  if (!reference.ok()) return Failed(reference.status());
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(inputs);
  if (!expected.ok()) return Failed(expected.status());

  const auto compilation = TheTarget().Configure({});
  if (!compilation.ok()) return Failed(compilation.status());
  std::vector<passes::PassReport> reports;
  status = passes::Run(graph, (*compilation)->pipeline(), {.print_on_failure = false}, reports);
  if (status.ok()) status = (*compilation)->Emit(graph, {});
  if (absl::IsUnimplemented(status))
    return {absl::StrReplaceAll(std::string(status.message()), {{"\n", ""}}), ""};
  if (!status.ok()) return Failed(status);
  const absl::StatusOr<targets::Serialized> bytes = (*compilation)->Serialize();
  if (!bytes.ok()) return Failed(bytes.status());
  const support::AlignedCopy copy(bytes->Join());
  const auto artifact = TheTarget().Open(copy.bytes, copy.owner);
  if (!artifact.ok()) return Failed(artifact.status());
  for (const targets::Finding& finding : (*artifact)->Check()) return {"", finding.text};
  const auto executable = (*artifact)->Load();
  if (!executable.ok()) return Failed(executable.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = (*executable)->Run(inputs);
  if (!actual.ok()) return Failed(actual.status());
  if (actual->size() != expected->size()) return {"", "another number of results"};
  for (size_t i = 0; i < actual->size(); ++i) {
    const std::string difference = testing::Difference((*actual)[i], (*expected)[i], kTolerance);
    if (!difference.empty()) return {"", absl::StrCat("result ", i, ": ", difference)};
  }
  return {};
}

using Golden = std::map<std::string, std::string>;  // reasons by case

Golden ReadGolden(const std::string& text) {
  Golden golden;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    golden.insert(parts);
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

void Check(const Named& named, const Golden& golden) {
  const Outcome outcome = Run(named);
  EXPECT_EQ(outcome.failure, "");
  const auto expected = golden.find(named.name);
  EXPECT_EQ(outcome.refused, expected == golden.end() ? "" : expected->second)
      << "bazel run //testing:update writes what does not run";
}

void CheckNames(const std::vector<Named>& cases, const Golden& golden) {
  std::map<std::string, int> names;
  for (const Named& named : cases) ++names[named.name];
  for (const auto& [name, reason] : golden) EXPECT_EQ(names[name], 1) << name;
}

void Register(const std::string& suite, const std::string& name, const std::string& file, int line,
              std::function<void()> body) {
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, file.c_str(), line,
                          [body]() -> ::testing::Test* { return new BodyTest(body); });
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ir::Registry::Global().Add(ops::CoreOps());
  TheTarget().Register();
  static const std::vector<Named> cases = Cases();
  const std::string mode = argc == 3 ? argv[1] : "";
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (mode == "update" && workspace != nullptr) {
    std::string text;
    for (const Named& named : cases) {
      const Outcome outcome = Run(named);
      if (!outcome.refused.empty()) absl::StrAppend(&text, named.name, ": ", outcome.refused, "\n");
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
  for (const Named& named : cases)
    Register(named.op->op, absl::StrCat("line", named.example->line), named.op->file,
             named.example->line, [&] { Check(named, golden); });
  Register("Golden", "names_what_there_is", __FILE__, __LINE__, [] { CheckNames(cases, golden); });
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::vulkan

int main(int argc, char** argv) { return tessera::vulkan::Main(argc, argv); }

// Every example of every core definition on a device: compiled, written, loaded, run, and compared
// with the reference. What no kernel computes is in a golden, by name and reason.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/registry.h"
#include "passes/runner.h"
#include "support/aligned_copy.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "testing/example_case.h"
#include "testing/golden_cases.h"
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

testing::Outcome Failed(const absl::Status& status) { return {"", std::string(status.message())}; }

testing::Outcome Run(const testing::NamedExample& example) {
  testing::Case c;
  ir::Graph graph;
  absl::Status status = testing::Prepare(*example.op, *example.example, c);
  if (status.ok()) status = testing::BuildGraph(c, false, graph);
  if (!status.ok()) return Failed(status);
  const std::vector<ir::Tensor> inputs = testing::InputsOf(c, graph);
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
  return {"", testing::Difference(*actual, *expected, kTolerance)};
}

std::vector<testing::GoldenCase> Cases() {
  std::vector<testing::NamedExample> examples;
  int large = 0;
  for (const ops::Example& example : LargeConvolutions().examples) {
    examples.push_back(
        {&LargeConvolutions(), &example, absl::StrCat("large convolution ", ++large)});
  }
  for (const auto* list : {&ops::CoreExamples(), &ops::VulkanExamples()}) {
    const std::vector<testing::NamedExample> accepted = testing::Accepted(*list);
    examples.insert(examples.end(), accepted.begin(), accepted.end());
  }
  std::vector<testing::GoldenCase> cases;
  for (const testing::NamedExample& each : examples) {
    cases.push_back({each.name, each.op->op, absl::StrCat("line", each.example->line),
                     each.op->file, each.example->line, [each] { return Run(each); }});
  }
  return cases;
}

}  // namespace
}  // namespace tessera::vulkan

int main(int argc, char** argv) {
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::vulkan::TheTarget().Register();
  return tessera::testing::RunGoldenCases(argc, argv, tessera::vulkan::Cases());
}

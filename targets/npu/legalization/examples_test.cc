// Every example of every core definition whose operands are floats, through the lowerings for the
// NPU: what the plan for a device computes in floats is what the definition says. Each runs with
// all operands as inputs, with all but the first one as constants, and so again with the first axis
// of what is left coming entry by entry. What has a form is in a golden, by name and devices.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/legalization/run_plan.h"
#include "targets/reference/executor.h"
#include "testing/example_case.h"
#include "testing/golden_cases.h"
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

// Unimplemented: nothing that the device could have.
absl::Status Build(const testing::Case& c, Given given, ir::Graph& graph) {
  int inputs = 0;
  const auto dims_of =
      [&](const std::vector<int64_t>& sizes) -> std::optional<std::vector<ir::Expr>> {
    if (inputs++ > 0 && given != Given::kInputs) return std::nullopt;
    std::vector<ir::Expr> dims(sizes.begin(), sizes.end());
    if (given == Given::kEntries && !dims.empty()) dims[0] = graph.context().Symbol("N");
    return dims;
  };
  const absl::Status built = testing::BuildGraph(c, dims_of, graph);
  if (given == Given::kEntries && !built.ok())
    return absl::UnimplementedError("rests on its sizes");
  if (!built.ok()) return built;
  for (const ir::Tensor& input : testing::InputsOf(c, graph)) {
    if (input.dtype() != ir::DType::kF32 || input.size() == 0)
      return absl::UnimplementedError("the device has floats");
    if (given == Given::kEntries && input.rank() < 2)
      return absl::UnimplementedError("no axis of entries");
  }
  if (graph.inputs().empty()) return absl::UnimplementedError("nothing comes in");
  for (const ir::Value* output : graph.outputs()) {
    if (output->type().dtype != ir::DType::kF32)
      return absl::UnimplementedError("the device has floats");
  }
  return absl::OkStatus();
}

struct Form {
  bool there = false;
  std::string failure;
};

Form Run(const testing::NamedExample& example, Given given, const char* device) {
  const auto failed = [](const absl::Status& status) -> Form {
    if (absl::IsUnimplemented(status)) return {};
    return {false, status.ToString()};
  };
  testing::Case c;
  ir::Graph graph;
  absl::Status status = testing::Prepare(*example.op, *example.example, c);
  if (status.ok()) status = Build(c, given, graph);
  if (!status.ok()) return failed(status);
  const std::vector<ir::Tensor> inputs = testing::InputsOf(c, graph);
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(graph);
  if (!reference.ok()) return failed(reference.status());
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(inputs);
  if (!expected.ok()) return failed(expected.status());
  passes::Pipeline pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : LegalizationPipeline()) pipeline.push_back(pass);
  std::vector<passes::PassReport> reports;
  if (absl::Status s = passes::Run(graph, pipeline, {}, reports); !s.ok()) return failed(s);
  const absl::StatusOr<Plan> plan = Legalize(graph, *FindDevice(device), {});
  if (!plan.ok()) return failed(plan.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = RunPlan(*plan, inputs);
  if (!actual.ok()) return {true, std::string(actual.status().message())};
  // The device has no others: rewrites for it assume so, and calibration refuses what is not.
  for (const ir::Tensor& input : inputs) {
    for (int64_t i = 0; i < input.size(); ++i) {
      if (!std::isfinite(input.AsDouble(i))) return {true, ""};
    }
  }
  return {true, testing::Difference(*actual, *expected, kTolerance)};
}

// The devices that have a form.
testing::Outcome RunAll(const testing::NamedExample& example, Given given) {
  testing::Outcome outcome;
  for (const char* device : kDevices) {
    const Form form = Run(example, given, device);
    if (form.there) absl::StrAppend(&outcome.recorded, outcome.recorded.empty() ? "" : " ", device);
    if (!form.failure.empty()) absl::StrAppend(&outcome.failure, device, ": ", form.failure, "\n");
  }
  return outcome;
}

std::vector<testing::GoldenCase> Cases() {
  std::vector<testing::GoldenCase> cases;
  for (const testing::NamedExample& each : testing::Accepted(ops::CoreExamples())) {
    const std::string line = absl::StrCat("line", each.example->line);
    const auto add = [&](Given given, const std::string& word) {
      cases.push_back({word.empty() ? each.name : absl::StrCat(each.name, ", ", word), each.op->op,
                       word.empty() ? line : absl::StrCat(line, "_", word), each.op->file,
                       each.example->line, [each, given] { return RunAll(each, given); }});
    };
    if (each.example->operands.size() > 1) add(Given::kInputs, "");
    add(Given::kNumbers, "numbers");
    add(Given::kEntries, "entries");
  }
  return cases;
}

}  // namespace
}  // namespace tessera::npu

int main(int argc, char** argv) {
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::npu::RegisterLayers();
  return tessera::testing::RunGoldenCases(argc, argv, tessera::npu::Cases());
}

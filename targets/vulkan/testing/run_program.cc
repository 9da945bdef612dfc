#include "targets/vulkan/testing/run_program.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/runner.h"
#include "support/random_tensor.h"
#include "targets/reference/executor.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/build_program.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/executor.h"
#include "testing/example_case.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::vulkan {

void RegisterAll() {
  static const bool registered = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    RegisterOperators();
    return true;
  }();
  (void)registered;
}

namespace {

// What follows from the graph and its inputs.
absl::Status Finish(Compiled& compiled, int64_t most_steps = 0, bool half = false) {
  const auto reference = reference::Executor::Create(*compiled.graph);
  if (!reference.ok()) return reference.status();
  auto expected = reference->Run(compiled.inputs);
  if (!expected.ok()) return expected.status();
  compiled.expected = *std::move(expected);
  std::vector<passes::PassReport> reports;
  const absl::Status status =
      passes::Run(*compiled.graph, VulkanPipeline({}), {.print_on_failure = false}, reports);
  if (!status.ok()) return status;
  Axes axes(compiled.graph->context());
  Parts parts;
  auto program = ProgramOf(*compiled.graph, axes, half, most_steps, parts);
  if (!program.ok()) return program.status();
  compiled.program = *std::move(program);
  return absl::OkStatus();
}

absl::Status Read(const std::string& body, Compiled& compiled) {
  RegisterAll();
  auto graph = ir::Parse(absl::StrCat("ir 1\n", body, "obligations 0\n"));
  if (!graph.ok()) return graph.status();
  compiled.graph = *std::move(graph);
  return absl::OkStatus();
}

absl::Status CompileText(const std::string& body, int64_t most_steps, Compiled& compiled) {
  if (absl::Status status = Read(body, compiled); !status.ok()) return status;
  for (const ir::Value* input : compiled.graph->inputs()) {
    std::vector<int64_t> shape;
    for (const solver::Expr& dim : input->type().dims) shape.push_back(*dim.Constant());
    compiled.inputs.push_back(*support::RandomTensor(
        input->type().dtype, shape, static_cast<uint32_t>(compiled.inputs.size())));
  }
  return Finish(compiled, most_steps);
}

}  // namespace

absl::Status CompileExample(const ops::OpExamples& op, const ops::Example& example,
                            Compiled& compiled) {
  RegisterAll();
  testing::Case c;
  absl::Status status = testing::Prepare(op, example, c);
  if (status.ok()) status = testing::BuildGraph(c, false, *compiled.graph);
  if (!status.ok()) return status;
  for (const ir::Value* input : compiled.graph->inputs())
    compiled.inputs.push_back(*c.operands[static_cast<size_t>(std::stoi(input->name().substr(2)))]);
  return Finish(compiled);
}

std::string RunAndCompare(Compiled& compiled, double tolerance) {
  Shaders shaders;
  const auto bytes = EmitProgram(*compiled.graph, compiled.program, {}, {}, shaders);
  if (!bytes.ok()) return std::string(bytes.status().message());
  auto executor = Executor::Create(*bytes);
  if (!executor.ok()) return std::string(executor.status().message());
  const auto actual = executor->Run(compiled.inputs);
  if (!actual.ok()) return std::string(actual.status().message());
  for (size_t i = 0; i < actual->size(); ++i) {
    const std::string difference =
        testing::Difference((*actual)[i], compiled.expected[i], tolerance);
    if (!difference.empty()) return absl::StrCat("result ", i, ": ", difference);
  }
  return "";
}

std::string KernelsOf(const std::string& body, const std::function<void(Program&)>& change,
                      int64_t most_steps) {
  Compiled compiled;
  if (const absl::Status status = CompileText(body, most_steps, compiled); !status.ok())
    return std::string(status.message());
  if (change) change(compiled.program);
  const std::string difference = RunAndCompare(compiled, 1e-5);
  return difference.empty() ? absl::StrCat(compiled.program.stages.size()) : difference;
}

std::string DifferenceOf(const std::string& body, std::vector<ir::Tensor> inputs, double tolerance,
                         bool half) {
  Compiled compiled;
  compiled.inputs = std::move(inputs);
  absl::Status status = Read(body, compiled);
  if (status.ok()) status = Finish(compiled, 0, half);
  return status.ok() ? RunAndCompare(compiled, tolerance) : std::string(status.message());
}

}  // namespace tessera::vulkan

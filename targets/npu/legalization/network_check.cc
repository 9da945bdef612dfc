// Whether a network, legalized, still computes what it did: the stored inputs of a model through
// the plan, in floats, against the reference. By hand, and as a test of the models that are here:
//   bazel run //targets/npu/legalization:network_check -- MODEL --device=gna-3.0 --data FOLDER
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/data/data_set.h"
#include "frontends/onnx/import.h"
#include "ir/text.h"
#include "nests/library.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/legalization/run_plan.h"
#include "targets/reference/executor.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/verification/comparison.h"
#include "tools/verification/sizes.h"

namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::npu {
namespace {

constexpr char kProgram[] = "network_check";
constexpr double kTolerance = 1e-4;  // of the range; sums come in another order

struct Arguments {
  std::string model, device = "gna-3.0", data, expect;
  bool fallback = false, print = false;
  cli::ImportFlags import;
};

void Describe(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{"stretch", "side", "operation", "count"}};
  for (size_t i = 0; i < plan.stretches.size(); ++i) {
    const Stretch& stretch = plan.stretches[i];
    std::map<std::string, int> counts;
    for (const ir::Operation* op : stretch.graph->TopologicalOrder()) {
      if (op->info().role != ir::Role::kConstant) ++counts[std::string(op->info().name)];
    }
    for (const auto& [name, count] : counts) {
      rows.push_back({absl::StrCat(i), stretch.side == Stretch::Side::kDevice ? "device" : "host",
                      name, absl::StrCat(count)});
    }
  }
  std::cout << cli::Table(rows) << plan.states.size() << " states, " << plan.device_work
            << " multiply-adds on the device, " << plan.host_work << " on the host\n";
}

absl::StatusOr<Plan> PlanOf(ir::Graph& graph, const Arguments& arguments) {
  RegisterLayers();
  passes::Pipeline pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : LegalizationPipeline()) pipeline.push_back(pass);
  std::vector<passes::PassReport> reports;
  if (absl::Status status = passes::Run(graph, pipeline, {}, reports); !status.ok()) return status;
  if (arguments.print) std::cout << ir::Print(graph);
  const Device* device = FindDevice(arguments.device);
  if (device == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("no device `", arguments.device, "`"));
  Options options;
  options.host_fallback = arguments.fallback;
  return Legalize(graph, *device, options);
}

int Check(const Arguments& arguments, const onnx_import::ImportOptions& options) {
  const absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportFile(arguments.model, options);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  const absl::StatusOr<onnx_import::ImportResult> again =
      onnx_import::ImportFile(arguments.model, options);
  if (!again.ok()) return cli::Report(kProgram, again.status());
  const absl::StatusOr<Plan> plan = PlanOf(*again->graph, arguments);
  if (!arguments.expect.empty()) {
    const std::string text = plan.ok() ? "it has a plan" : std::string(plan.status().message());
    std::cout << text << "\n";
    return text.find(arguments.expect) != std::string::npos ? cli::kDone : cli::kBadInput;
  }
  if (!plan.ok()) return cli::Report(kProgram, plan.status());
  Describe(*plan);
  if (arguments.print) {
    for (const Stretch& stretch : plan->stretches) std::cout << ir::Print(*stretch.graph);
  }
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*import->graph);
  if (!executor.ok()) return cli::Report(kProgram, executor.status());
  std::vector<std::vector<ir::Tensor>> cases;
  const absl::StatusOr<std::vector<std::string>> folders = data::FindDataSets(arguments.data);
  if (!folders.ok()) return cli::Report(kProgram, folders.status());
  for (const std::string& folder : *folders) {
    const absl::StatusOr<data::DataSet> set = data::ReadDataSet(folder);
    if (!set.ok()) return cli::Report(kProgram, set.status());
    std::vector<ir::Tensor>& inputs = cases.emplace_back();
    for (const auto& input : set->inputs) {
      if (input.has_value()) inputs.push_back(input->tensor);
    }
  }
  if (cases.empty()) {
    for (const solver::Assignment& sizes : verification::ChooseSizes(*import->graph, 2, 1)) {
      absl::StatusOr<std::vector<ir::Tensor>> inputs =
          verification::RandomInputs(*import->graph, sizes, 1);
      if (inputs.ok()) cases.push_back(*std::move(inputs));
    }
  }
  bool holds = !cases.empty();
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto expected = executor->Run(cases[i]);
    if (!expected.ok()) return cli::Report(kProgram, expected.status());
    const auto actual = RunPlan(*plan, cases[i]);
    if (!actual.ok()) return cli::Report(kProgram, actual.status());
    for (size_t k = 0; k < expected->size(); ++k) {
      const verification::Comparison comparison =
          verification::Compare((*expected)[k], (*actual)[k], kTolerance);
      std::cout << "case " << i << " " << plan->outputs[k] << ": PEIR " << comparison.peir << " "
                << comparison.complaint << "\n";
      holds &= comparison.holds;
    }
  }
  std::cout << cases.size() << " cases\n";
  return holds ? cli::kDone : cli::kBadInput;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line(kProgram, "Compares a network's plan, in floats, with the network.");
  line.Positional("MODEL", "an ONNX file", &arguments.model)
      .Value("device", "NAME", "default: gna-3.0", &arguments.device)
      .Value("data", "FOLDER", "holds `test_data_set_K`; default: beside the model",
             &arguments.data)
      .Value("expect", "TEXT", "what the refusal says, in place of a comparison", &arguments.expect)
      .Switch("fallback", "lets the host run what the device lacks", &arguments.fallback)
      .Switch("print", "prints the graphs", &arguments.print);
  arguments.import.Declare(line);
  line.Example("model.onnx --device=gna-2.0");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  cli::EnterInvokingFolder();
  cli::LinkOps();
  nests::Library::Global().Add(ops::CoreNests());
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, options))
    return *code;
  if (arguments.data.empty())
    arguments.data = std::filesystem::path(arguments.model).parent_path().string();
  return Check(arguments, options);
}

}  // namespace
}  // namespace tessera::npu

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::npu::kProgram, tessera::npu::Main, argc, argv);
}

// Times an artifact on its target, or a network on the reference executor.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "nlohmann/json.hpp"
#include "solver/expr.h"
#include "targets/all/all.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "tools/bench_report.h"
#include "tools/cli/assignment.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/proving/discharge.h"
#include "tools/run_inputs.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "bench";

struct Arguments {
  std::string model, runs = "20", warm_up = "3";
  int run_count = 0, warm_up_count = 0;
  bool json = false;
  std::map<std::string, std::string> sources;
  cli::ImportFlags import;
};

using Clock = std::chrono::steady_clock;

// `NAME=NUMBER` of each `--dim`; null after a complaint.
std::optional<solver::Assignment> SizesOf(const cli::CommandLine& line,
                                          const std::vector<std::string>& texts) {
  solver::Assignment sizes;
  for (const std::string& text : texts) {
    const auto pair = cli::SplitAssignment(text.substr(text.find(' ') + 1));
    int64_t size = 0;
    if (!text.starts_with("--dim ") || !pair.has_value() ||
        !absl::SimpleAtoi(pair->second, &size) || size < 0) {
      line.WrongUsage(absl::StrCat("`", text, "`: an artifact takes sizes only, `--dim H=64`"));
      return std::nullopt;
    }
    sizes[pair->first] = size;
  }
  return sizes;
}

// Gives the inputs the sizes that their dims, as the artifact names them, have for `sizes`; a size
// that is not among these is the least that the artifact admits, and is added.
absl::Status Fill(const targets::Artifact& artifact, solver::Assignment& sizes,
                  std::vector<Input>& inputs) {
  const auto facts = nlohmann::json::parse(artifact.SizeFacts(), nullptr, false);
  std::map<std::string, int64_t> least;
  if (facts.is_object()) {
    for (const auto& symbol : facts.value("symbols", nlohmann::json::array())) {
      if (!symbol.is_object() || !symbol.value("name", nlohmann::json()).is_string() ||
          !symbol.value("min", nlohmann::json()).is_number_integer())
        continue;
      least[symbol["name"].get<std::string>()] = symbol["min"].get<int64_t>();
    }
  }
  std::vector<std::string> names;
  if (facts.is_object() && facts.contains("inputs") && facts["inputs"].is_array()) {
    for (size_t i = 0; i < inputs.size() && i < facts["inputs"].size(); ++i) {
      const auto& dims = facts["inputs"][i].value("dims", nlohmann::json::array());
      if (!dims.is_array() || dims.size() != inputs[i].sizes.size()) continue;
      for (size_t d = 0; d < dims.size(); ++d) {
        if (!dims[d].is_string()) continue;
        solver::Context context;
        const absl::StatusOr<solver::Expr> dim = solver::Parse(context, dims[d].get<std::string>());
        if (!dim.ok()) continue;
        for (const std::string& name : solver::SymbolsOf(*dim)) {
          names.push_back(name);
          if (const auto found = least.find(name); found != least.end())
            sizes.emplace(name, found->second);
        }
        inputs[i].dims[d] = dims[d].get<std::string>();
        const absl::StatusOr<int64_t> size = solver::Evaluate(*dim, sizes);
        if (size.ok()) inputs[i].sizes[d] = *size;
      }
    }
  }
  for (const auto& [name, size] : sizes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return absl::InvalidArgumentError(absl::StrCat(
        "`--dim ", name, "=", size, "`: no dim of an input has that name",
        nearest.has_value() ? absl::StrCat("; did you mean `", *nearest, "`?") : std::string()));
  }
  return absl::OkStatus();
}

// What runs once, and what also says how long the steps took.
struct Subject {
  std::function<absl::Status(const std::vector<ir::Tensor>&)> run;
  std::function<absl::StatusOr<std::vector<targets::StepTime>>(const std::vector<ir::Tensor>&)>
      profile;
};

absl::Status Measure(const Subject& subject, const std::vector<ir::Tensor>& inputs,
                     const Arguments& arguments, Measured& measured) {
  measured.warm_up = arguments.warm_up_count;
  for (int i = 0; i < arguments.warm_up_count + arguments.run_count; ++i) {
    const Clock::time_point start = Clock::now();
    const std::clock_t processor = std::clock();
    if (absl::Status status = subject.run(inputs); !status.ok()) return status;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (i == 0) measured.first = seconds;
    if (i < arguments.warm_up_count) continue;
    measured.runs.push_back(seconds);
    measured.processor.push_back(static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
  }
  for (int i = 0; i < arguments.run_count; ++i) {
    absl::StatusOr<std::vector<targets::StepTime>> steps = subject.profile(inputs);
    if (absl::IsUnimplemented(steps.status())) {
      measured.no_steps = std::string(steps.status().message());
      break;
    }
    if (!steps.ok()) return steps.status();
    measured.step_seconds.resize(steps->size());
    for (size_t s = 0; s < steps->size(); ++s)
      measured.step_seconds[s].push_back((*steps)[s].seconds);
    measured.steps = *std::move(steps);
  }
  return absl::OkStatus();
}

// Error: an array of another size than `--dim` says.
absl::Status CheckSizes(const std::vector<Input>& wanted, const solver::Assignment& given,
                        const std::vector<ir::Tensor>& inputs) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (size_t d = 0; d < wanted[i].dims.size() && d < inputs[i].shape().size(); ++d) {
      solver::Context context;
      const absl::StatusOr<solver::Expr> dim = solver::Parse(context, wanted[i].dims[d]);
      if (!dim.ok()) continue;
      const absl::StatusOr<int64_t> size = solver::Evaluate(*dim, given);
      if (!size.ok() || *size == inputs[i].shape()[d]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("`--input ", wanted[i].name, "`: axis ", d, " has ", inputs[i].shape()[d],
                       " entries, and `--dim` says that `", wanted[i].dims[d], "` is ", *size));
    }
  }
  return absl::OkStatus();
}

// `given` are the sizes that the command line names.
int Show(const cli::CommandLine& line, const Arguments& arguments, std::vector<Input> wanted,
         const solver::Assignment& given, const Subject& subject, Measured measured) {
  std::map<std::string, std::string> sources = arguments.sources;
  for (const Input& input : wanted) sources.emplace(input.name, "random:1");
  const absl::StatusOr<std::vector<ir::Tensor>> inputs = ReadInputs(wanted, sources);
  if (!inputs.ok()) return cli::Report(kProgram, inputs.status());
  if (absl::Status status = CheckSizes(wanted, given, *inputs); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  for (size_t i = 0; i < inputs->size(); ++i)
    measured.inputs.push_back(absl::StrCat(wanted[i].name, " ", cli::TypeText((*inputs)[i])));
  if (absl::Status status = Measure(subject, *inputs, arguments, measured); !status.ok())
    return cli::Report(kProgram, status);
  std::cout << (arguments.json ? JsonOf(measured) : TextOf(measured));
  return cli::kDone;
}

int BenchNetwork(const cli::CommandLine& line, const Arguments& arguments) {
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, options))
    return *code;
  options.check = proving::ShapeCheck(arguments.model);
  const absl::StatusOr<onnx_import::ImportResult> import =
      cli::ImportModel(arguments.model, options);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*import->graph);
  if (!executor.ok()) return cli::Report(kProgram, executor.status());
  Subject subject;
  subject.run = [&](const std::vector<ir::Tensor>& inputs) {
    return executor->Run(inputs).status();
  };
  subject.profile = [](const std::vector<ir::Tensor>&) {
    return absl::UnimplementedError("the reference does not tell its steps apart");
  };
  Measured measured;
  measured.subject = arguments.model;
  measured.device = "the reference";
  return Show(line, arguments, InputsOf(*import->graph), {}, subject, std::move(measured));
}

int BenchArtifact(const cli::CommandLine& line, const Arguments& arguments) {
  for (const std::string& flag : arguments.import.Given()) {
    if (flag != "--dim")
      return line.WrongUsage(
          absl::StrCat("`", flag, "` goes with a network, and that is an artifact"));
  }
  std::optional<solver::Assignment> sizes = SizesOf(line, arguments.import.Texts());
  if (!sizes.has_value()) return cli::kWrongUsage;
  const absl::StatusOr<targets::OpenedArtifact> opened = targets::OpenFile(arguments.model);
  if (!opened.ok()) return cli::Report(kProgram, opened.status());
  opened->target->Register();
  const absl::StatusOr<std::unique_ptr<targets::Executable>> executable = opened->artifact->Load();
  if (!executable.ok()) return cli::Report(kProgram, executable.status());
  std::vector<Input> wanted = InputsOf(**executable);
  const solver::Assignment given = *sizes;
  if (absl::Status status = Fill(*opened->artifact, *sizes, wanted); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  Subject subject;
  subject.run = [&](const std::vector<ir::Tensor>& inputs) {
    return (*executable)->Run(inputs).status();
  };
  subject.profile = [&](const std::vector<ir::Tensor>& inputs) {
    return (*executable)->Profile(inputs);
  };
  Measured measured;
  measured.subject = arguments.model;
  measured.device = (*executable)->Device();
  if (measured.device.empty()) measured.device = std::string(opened->target->title());
  return Show(line, arguments, std::move(wanted), given, subject, std::move(measured));
}

int Main(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> input_flags;
  std::string suffixes;
  for (const std::string& suffix : targets::Suffixes())
    absl::StrAppend(&suffixes, suffixes.empty() ? "." : " or .", suffix);
  cli::CommandLine line(kProgram,
                        "Times an artifact on its target, run by run and step by step where the "
                        "target tells steps apart, or a network on the reference executor.");
  line.Positional("MODEL", absl::StrCat(cli::kModelFile, ", or a ", suffixes, " file"),
                  &arguments.model)
      .Values("input", "NAME=SOURCE",
              "where an input comes from: a .npy or .pb file, `random:SEED`, or "
              "`random:SEED:2x3x224x224` with a shape; `random:1` where it is not given",
              &input_flags)
      .Value("runs", "N", "how many runs are timed; 20 where it is not given", &arguments.runs)
      .Value("warm-up", "N", "how many runs go before them; 3 where it is not given",
             &arguments.warm_up)
      .Switch("json", "everything, as JSON, times in seconds", &arguments.json);
  arguments.import.Declare(line);
  const std::string artifact = absl::StrCat("model.", targets::Suffixes().back());
  line.Example(absl::StrCat(artifact, " --dim N=1 --dim H=1080 --dim W=1920"))
      .Example(absl::StrCat(artifact, " --input image=random:1:1x3x64x64 --json"))
      .Example("model.onnx --dim N=1 --runs 5");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  for (const std::string& text : input_flags) {
    auto source = cli::SplitAssignment(text);
    if (!source.has_value())
      return line.WrongUsage(absl::StrCat("`--input ", text, "`: not of the form NAME=SOURCE"));
    if (!arguments.sources.insert(*source).second)
      return line.WrongUsage(absl::StrCat("`--input ", source->first, "` given twice"));
  }
  constexpr int kMost = 1000000;
  if (!absl::SimpleAtoi(arguments.runs, &arguments.run_count) || arguments.run_count < 1 ||
      arguments.run_count > kMost)
    return line.WrongUsage(absl::StrCat("`--runs ", arguments.runs, "`: 1 to ", kMost));
  if (!absl::SimpleAtoi(arguments.warm_up, &arguments.warm_up_count) ||
      arguments.warm_up_count < 0 || arguments.warm_up_count > kMost)
    return line.WrongUsage(absl::StrCat("`--warm-up ", arguments.warm_up, "`: 0 to ", kMost));
  cli::EnterInvokingFolder();
  cli::LinkOps();
  return targets::IsArtifact(arguments.model) ? BenchArtifact(line, arguments)
                                              : BenchNetwork(line, arguments);
}

}  // namespace

namespace tools {

int Bench(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera

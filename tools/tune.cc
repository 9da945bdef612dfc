// Measures on a target's device what the target chooses by when it compiles.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/import.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "solver/assignment.h"
#include "solver/expr.h"
#include "support/file.h"
#include "support/file_set.h"
#include "targets/all/all.h"
#include "targets/target.h"
#include "tools/cli/assignment.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/target_flags.h"
#include "tools/cli/tool.h"
#include "tools/proving/discharge.h"
#include "tools/tools.h"
#include "tools/verification/sizes.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "tune";
constexpr size_t kMostSizes = 64;

struct Arguments {
  std::string model, target, output, runs = "7";
  int run_count = 0;
  bool quiet = false;
  std::vector<std::string> dims;
  cli::TargetFlags target_flags;
};

// Of one `--dim`.
struct Sizes {
  std::string name;
  std::vector<int64_t> sizes;
};

// `H=64,128`; nullopt: not of that form.
std::optional<Sizes> ParseSizes(const std::string& text) {
  const auto pair = cli::SplitAssignment(text);
  if (!pair.has_value()) return std::nullopt;
  Sizes parsed{pair->first, {}};
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(pair->second, ','))) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 0) return std::nullopt;
    parsed.sizes.push_back(size);
  }
  return parsed;
}

// The sizes with each other; symbols of the inputs that were not named are the least that they can
// be. Error: a name that no input has, or more than can be measured.
absl::StatusOr<std::vector<solver::Assignment>> Combined(const ir::Graph& graph,
                                                         const std::vector<Sizes>& given) {
  solver::Assignment least;
  std::vector<std::string> names;
  for (const ir::Value* input : graph.inputs()) {
    for (const ir::Expr& dim : input->type().dims) {
      for (const std::string& name : solver::SymbolsOf(dim)) {
        const solver::SymbolInfo* info = graph.context().Find(name);
        if (info == nullptr || !least.emplace(name, info->range.lo).second) continue;
        names.push_back(name);
      }
    }
  }
  std::vector<solver::Assignment> all = {least};
  for (const Sizes& one : given) {
    if (least.find(one.name) == least.end()) {
      const std::optional<std::string> nearest = cli::Nearest(one.name, names);
      return absl::InvalidArgumentError(absl::StrCat(
          "`--dim ", one.name, "`: no dim of an input has that name",
          nearest.has_value() ? absl::StrCat("; did you mean `", *nearest, "`?") : std::string()));
    }
    std::vector<solver::Assignment> longer;
    for (const solver::Assignment& sizes : all) {
      for (int64_t size : one.sizes) {
        longer.push_back(sizes);
        longer.back()[one.name] = size;
      }
    }
    all = std::move(longer);
    if (all.size() > kMostSizes)
      return absl::InvalidArgumentError(
          absl::StrCat("`--dim` asks for more than ", kMostSizes, " sizes"));
  }
  return all;
}

// The one that was named, or the first that has anything to measure.
int FindTuning(const cli::CommandLine& line, const Arguments& arguments, const std::string& known,
               std::unique_ptr<targets::Tuning>& tuning) {
  const targets::Target* named = nullptr;
  if (!arguments.target.empty()) {
    named = targets::Find(arguments.target);
    if (named == nullptr)
      return line.WrongUsage(cli::NotOneOf("--target", arguments.target, targets::Names()));
  }
  absl::Status status = absl::UnimplementedError("no target chooses anything by measurements");
  for (const targets::Target* target : targets::All()) {
    if (named != nullptr && target != named) continue;
    if (named == nullptr && !absl::IsUnimplemented(status)) break;
    targets::FlagValues none;
    if (named == nullptr && absl::IsUnimplemented(target->Tune(none, "").status())) continue;
    targets::FlagValues flags;
    if (const auto code = arguments.target_flags.Resolve(line, target, flags)) return *code;
    target->Register();
    absl::StatusOr<std::unique_ptr<targets::Tuning>> made = target->Tune(flags, known);
    if (made.ok()) {
      tuning = *std::move(made);
      return cli::kDone;
    }
    status = absl::Status(made.status().code(), absl::StrCat(std::string(target->title()), ": ",
                                                             made.status().message()));
  }
  return cli::Report(kProgram, status);
}

int Tune(const cli::CommandLine& line, const Arguments& arguments,
         const std::vector<Sizes>& given) {
  cli::FileRoles roles;
  absl::Status status = roles.Reads("the model", arguments.model);
  if (status.ok()) status = arguments.target_flags.AddTo(roles);
  if (status.ok()) status = roles.Writes("the database", arguments.output);
  if (!status.ok()) return line.WrongUsage(std::string(status.message()));
  // Where it cannot go, nothing needs to be measured.
  if (status = support::FileSet().Add(arguments.output, std::string_view()); !status.ok())
    return cli::Report(kProgram, status);
  std::string known;
  std::error_code error;
  if (std::filesystem::exists(arguments.output, error)) {
    const absl::StatusOr<std::string> text = support::ReadFile(arguments.output);
    if (!text.ok()) return cli::Report(kProgram, text.status());
    known = *text;
  }
  std::unique_ptr<targets::Tuning> tuning;
  if (const int code = FindTuning(line, arguments, known, tuning); tuning == nullptr) return code;
  onnx_import::ImportOptions options;
  options.check = proving::ShapeCheck(arguments.model);
  const absl::StatusOr<onnx_import::ImportResult> import =
      cli::ImportModel(arguments.model, options);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  ir::Graph& graph = *import->graph;
  if (status = cli::AddTo(roles, *import); !status.ok())
    return line.WrongUsage(std::string(status.message()));

  const auto sizes = Combined(graph, given);
  if (!sizes.ok()) return line.WrongUsage(std::string(sizes.status().message()));
  std::vector<std::vector<ir::Tensor>> inputs;
  std::vector<std::string> labels;
  for (const solver::Assignment& one : *sizes) {
    absl::StatusOr<std::vector<ir::Tensor>> made = verification::RandomInputs(graph, one, 1);
    if (!made.ok()) return cli::Report(kProgram, made.status());
    inputs.push_back(*std::move(made));
    labels.push_back(solver::ToText(one));
  }
  passes::Pipeline pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : tuning->pipeline()) pipeline.push_back(pass);
  std::vector<passes::PassReport> reports;
  status = passes::Run(graph, pipeline, {}, reports);
  const auto progress = [&](const std::string& what) {
    if (!arguments.quiet) std::cerr << what << "\n";
  };
  if (status.ok()) status = tuning->Measure(graph, inputs, labels, arguments.run_count, progress);
  if (status.ok()) status = support::WriteFile(arguments.output, tuning->Serialize());
  if (!status.ok()) return cli::Report(kProgram, status);
  for (const std::string& text : tuning->Summarize()) std::cout << text << "\n";
  std::cout << "wrote " << arguments.output << "\n";
  return cli::kDone;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line(
      kProgram,
      "Measures on a target's device the ways to compute a network, for `compile` "
      "to choose by.");
  line.Positional("MODEL", cli::kModelFile, &arguments.model)
      .Value("target", "NAME",
             absl::StrCat(cli::TargetList(), "; default: the first that chooses by measurements"),
             &arguments.target)
      .Values(
          "dim", "NAME=SIZE,...",
          "measures at each of these sizes of a symbolic dim, with each of those of other dims; "
          "a dim that is not named is the least that it can be. The network stays symbolic",
          &arguments.dims)
      .Value("output|o", "FILE",
             "the database; what is there already stays, unless it is measured again",
             &arguments.output)
      .Value("runs", "N", "how many runs are timed, of which the median counts; default: 7",
             &arguments.runs)
      .Switch("quiet", "says nothing of what is measured", &arguments.quiet);
  arguments.target_flags.Declare(line);
  line.Example("model.onnx --dim H=1080,2160 --dim W=1920 -o device.tdb");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (arguments.output.empty()) return line.WrongUsage("no `--output FILE`: where the times go");
  if (!absl::SimpleAtoi(arguments.runs, &arguments.run_count) || arguments.run_count < 1 ||
      arguments.run_count > 10000)
    return line.WrongUsage(absl::StrCat("`--runs ", arguments.runs, "`: 1 to 10000"));
  std::vector<Sizes> sizes;
  for (const std::string& text : arguments.dims) {
    std::optional<Sizes> parsed = ParseSizes(text);
    if (!parsed.has_value())
      return line.WrongUsage(absl::StrCat("`--dim ", text, "`: not of the form NAME=SIZE,SIZE"));
    sizes.push_back(*std::move(parsed));
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  return Tune(line, arguments, sizes);
}

}  // namespace

namespace tools {

int Tune(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera

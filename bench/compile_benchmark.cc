// How long compiling to Circle takes, and how much memory, as ratios to copying the model's file in
// the same run; docs/benchmarks.md says what the columns are.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/process.h"
#include "frontends/onnx/import.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "solver/certificate/certificate.h"
#include "solver/prove.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/writer.h"
#include "testing/networks/networks.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/certify.h"
#include "tools/proving/decided_statements.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"

namespace tessera::bench {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "compile_benchmark";

// What a process may take beside two copies: starting it, linking it, building its tables.
constexpr double kAllowance = 0.1;  // seconds
constexpr double kCopies = 2;
constexpr double kMemory = 3;  // sizes of the model

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The whole file into memory, and from there into a new file.
absl::StatusOr<double> Copy(const std::string& from, const std::string& to) {
  fs::remove(to);
  const Stopwatch watch;
  const absl::StatusOr<std::string> bytes = support::ReadFile(from);
  if (!bytes.ok()) return bytes.status();
  if (absl::Status status = support::WriteFile(to, *bytes); !status.ok()) return status;
  return watch.Seconds();
}

using Phases = std::map<std::string, double>;  // seconds

// What deciding takes.
struct Deciding {
  double seconds = 0;    // all constraints, as often as each occurs
  double median_us = 0;  // of the different statements
};

// Each constraint is decided where the graph that it is about is built, in the midst of importing
// and lowering: so once more here, apart. Least of some times, because each is of microseconds.
Deciding DecidingOf(const ir::Graph& graph, const proving::Ledger& ledger, solver::Prover& prover) {
  std::vector<int> counts;
  std::vector<double> least;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const std::vector<proving::DecidedStatement> statements =
        proving::DecideAgain(graph, ledger, prover);
    least.resize(statements.size(), std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < statements.size(); ++i)
      least[i] = std::min(least[i], statements[i].microseconds);
    counts.resize(statements.size());
    for (size_t i = 0; i < statements.size(); ++i) counts[i] = statements[i].count;
  }
  if (least.empty()) return {};
  return {std::inner_product(least.begin(), least.end(), counts.begin(), 0.0) / 1e6, Median(least)};
}

// What `//tools:compile` does, adding to `phases` what each part of it took.
absl::Status Compile(const std::string& model, const onnx_import::ImportOptions& import_options,
                     const std::string& artifact, Phases& phases, Deciding* deciding) {
  const auto timed = [&](const char* phase, auto work) {
    const Stopwatch watch;
    auto result = work();
    phases[phase] += watch.Seconds();
    return result;
  };
  std::future<absl::StatusOr<certificate::FileDigest>> digest =
      std::async(std::launch::async, [&] { return proving::DigestOfFile(model); });
  proving::Record imported;
  onnx_import::ImportOptions recorded = import_options;
  recorded.imported = [&](const ir::Graph& graph) { imported = proving::RecordOf(graph); };
  const absl::StatusOr<onnx_import::ImportResult> import =
      timed("import", [&] { return onnx_import::ImportFile(model, recorded); });
  if (!import.ok()) return import.status();
  ir::Graph& graph = *import->graph;

  solver::Prover prover;
  proving::Ledger ledger;
  const auto discharge = [&](const char* stage) {
    return timed("prove",
                 [&] { return ledger.Discharge(graph, prover, stage, /*guards=*/true, model); });
  };
  if (absl::Status status = discharge("import"); !status.ok()) return status;
  circle::CompileOptions options;
  std::vector<passes::PassReport> reports;
  absl::Status status = timed("canonicalize", [&] {
    return passes::Run(graph, passes::CanonicalPipeline(), options.run, reports);
  });
  if (!status.ok()) return status;

  const double proved = phases["prove"];
  options.before_emission = [&](ir::Graph& lowered) {
    absl::Status discharged = discharge("circle");
    ledger.Finish(lowered, "circle");
    return discharged;
  };
  const absl::StatusOr<circle::CompileResult> compiled =
      timed("lower", [&] { return circle::Compile(graph, options); });
  phases["lower"] -= phases["prove"] - proved;
  if (!compiled.ok()) return compiled.status();
  status = timed("write", [&] { return circle::WriteCircleFile(compiled->model, artifact); });
  if (!status.ok()) return status;
  status = timed("certify", [&] {
    absl::StatusOr<certificate::Certificate> certificate =
        proving::Certify(graph, imported, ledger, {});
    if (!certificate.ok()) return certificate.status();
    absl::StatusOr<certificate::FileDigest> of_model = digest.get();
    if (!of_model.ok()) return of_model.status();
    absl::StatusOr<certificate::FileDigest> of_artifact = proving::DigestOfFile(artifact);
    if (!of_artifact.ok()) return of_artifact.status();
    certificate->model = *std::move(of_model);
    certificate->artifact = *std::move(of_artifact);
    return support::WriteFile(artifact + ".cert.json", certificate::WriteCertificate(*certificate));
  });
  if (status.ok() && deciding != nullptr) *deciding = DecidingOf(graph, ledger, prover);
  return status;
}

struct Subject {
  std::string name, model;  // model: path
  onnx_import::ImportOptions import;
  std::vector<std::string> flags;  // that say the same to the tool
  const support::TemporaryFolder* folder;
};

// Copies before each measurement, so that both meet the same state of the machine.
class Alternation {
 public:
  Alternation(benchmark::State& state, const Subject& subject) : state_(state), subject_(subject) {}

  bool Copy() {
    const absl::StatusOr<double> seconds =
        bench::Copy(subject_.model, subject_.folder->path() + "/copy");
    if (!seconds.ok()) return Fail(seconds.status());
    copies_.push_back(*seconds);
    return true;
  }
  void Add(double seconds) {
    state_.SetIterationTime(seconds);
    measured_.push_back(seconds);
  }
  bool Fail(const absl::Status& status) {
    state_.SkipWithError(std::string(status.message()).c_str());
    return false;
  }
  bool empty() const { return measured_.empty(); }
  double copy() const { return Median(copies_); }
  double measured() const { return Median(measured_); }

 private:
  benchmark::State& state_;
  const Subject& subject_;
  std::vector<double> copies_, measured_;
};

void CompileHere(benchmark::State& state, const Subject& subject) {
  Alternation times(state, subject);
  Phases phases;
  double total = 0;
  const std::string artifact = subject.folder->path() + "/artifact";
  for (auto _ : state) {
    if (!times.Copy()) return;
    fs::remove(artifact);
    const Stopwatch watch;
    const absl::Status status = Compile(subject.model, subject.import, artifact, phases, nullptr);
    if (!status.ok()) {
      times.Fail(status);
      return;
    }
    times.Add(watch.Seconds());
    total += watch.Seconds();
  }
  state.counters["of_copy"] = times.measured() / times.copy();
  for (const auto& [phase, seconds] : phases) state.counters[phase] = seconds / total;
  Deciding deciding;
  Phases once;
  const absl::Status status = Compile(subject.model, subject.import, artifact, once, &deciding);
  if (!status.ok()) times.Fail(status);
  state.counters["decide"] = deciding.seconds / times.measured();
  state.counters["statement_us"] = deciding.median_us;
}

void CompileInProcess(benchmark::State& state, const Subject& subject, const std::string& tool) {
  Alternation times(state, subject);
  int64_t peak = 0;
  const std::string artifact = subject.folder->path() + "/artifact";
  for (auto _ : state) {
    if (!times.Copy()) return;
    fs::remove(artifact);
    std::vector<std::string> command = {tool, subject.model, "--quiet", "--guards", "-o", artifact};
    command.insert(command.end(), subject.flags.begin(), subject.flags.end());
    const absl::StatusOr<ProcessUsage> usage = Measure(command);
    if (!usage.ok()) {
      times.Fail(usage.status());
      return;
    }
    times.Add(usage->seconds);
    peak = std::max(peak, usage->peak_bytes);
  }
  const double size = static_cast<double>(fs::file_size(subject.model));
  state.counters["of_copy"] = times.measured() / times.copy();
  state.counters["of_time_bound"] = times.measured() / (kCopies * times.copy() + kAllowance);
  state.counters["of_model_size"] = static_cast<double>(peak) / size;
  state.counters["of_memory_bound"] = static_cast<double>(peak) / (kMemory * size);
}

// The check of a certificate, against the compile that wrote it.
void CheckInProcess(benchmark::State& state, const Subject& subject, const std::string& compiler,
                    const std::string& prover) {
  const std::string artifact = subject.folder->path() + "/checked.circle";
  const std::vector<std::string> check = {prover,    "--check",     artifact + ".cert.json",
                                          "--model", subject.model, "--allow-evaluated"};
  std::vector<std::string> compile = {compiler,   subject.model, "--quiet",
                                      "--guards", "-o",          artifact};
  compile.insert(compile.end(), subject.flags.begin(), subject.flags.end());
  std::vector<double> compiles, checks;
  for (auto _ : state) {
    const absl::StatusOr<ProcessUsage> compiled = Measure(compile);
    const absl::StatusOr<ProcessUsage> checked = compiled.ok() ? Measure(check) : compiled.status();
    if (!checked.ok()) {
      state.SkipWithError(std::string(checked.status().message()).c_str());
      return;
    }
    compiles.push_back(compiled->seconds);
    checks.push_back(checked->seconds);
    state.SetIterationTime(checked->seconds);
  }
  state.counters["of_compile"] = Median(checks) / Median(compiles);
}

int Main(int argc, char** argv) {
  if (const std::optional<int> code = RunLauncher(argc, argv)) return *code;
  std::vector<std::string> models;
  std::string tool = "tools/compile", prover = "tools/prove";
  cli::CommandLine line(kProgram,
                        "Measures compiling to Circle against copying the model's file. Flags of "
                        "Google Benchmark (`--benchmark_filter`, `--benchmark_format=json`) are "
                        "taken too.");
  line.Values("model", "FILE",
              "an ONNX file, any number of times; default: a small U-Net, and a ResNet-18 with "
              "random weights",
              &models)
      .Value("compile", "PROGRAM", "the compiler; default: `//tools:compile`, built alike", &tool)
      .Value("prove", "PROGRAM", "what checks certificates; default: `//tools:prove`, built alike",
             &prover);
  cli::ImportFlags import_flags;
  import_flags.Declare(line);
  line.Example("--model=model.onnx --dim N=1 --benchmark_format=json");
  benchmark::Initialize(&argc, argv);
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  const std::string unet = fs::absolute("testdata/unet_d1_padded/model.onnx").string();
  if (tool == "tools/compile") tool = fs::absolute(tool).string();
  if (prover == "tools/prove") prover = fs::absolute(prover).string();
  cli::EnterInvokingFolder();
  cli::LinkOps();
  circle::RegisterOperators();

  onnx_import::ImportOptions import;
  if (const std::optional<int> code = import_flags.Resolve(line, kProgram, import)) return *code;
  std::vector<std::string> flags;
  for (const std::string& text : import_flags.Texts()) {
    for (const absl::string_view part : absl::StrSplit(text, absl::MaxSplits(' ', 1)))
      flags.emplace_back(part);
  }

  const support::TemporaryFolder folder;
  if (folder.path().empty())
    return cli::Report(kProgram, absl::UnavailableError("no temporary folder can be made"));
  std::vector<Subject> subjects;
  for (const std::string& model : models) {
    const fs::path path(model);
    const bool is_common = path.filename() == "model.onnx" && path.has_parent_path();
    subjects.push_back({is_common ? path.parent_path().filename().string() : path.stem().string(),
                        model, import, flags, &folder});
  }
  if (models.empty()) {
    const std::string resnet = folder.path() + "/resnet18.onnx";
    if (absl::Status status = support::WriteFile(resnet, testing::ResNet18(224, 1)); !status.ok())
      return cli::Report(kProgram, status);
    subjects = {{"unet_d1_padded", unet, import, flags, &folder},
                {"resnet18", resnet, import, flags, &folder}};
  }
  for (const Subject& subject : subjects) {
    benchmark::RegisterBenchmark(absl::StrCat("compile/", subject.name).c_str(), CompileHere,
                                 subject)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(absl::StrCat("process/", subject.name).c_str(), CompileInProcess,
                                 subject, tool)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(absl::StrCat("certificate/", subject.name).c_str(), CheckInProcess,
                                 subject, tool, prover)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return cli::kDone;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) { return tessera::bench::Main(argc, argv); }

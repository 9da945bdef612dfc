// How compiling to Circle grows with the size of a network, by what it asks of the heap: a figure
// that is the same on every machine. docs/benchmarks.md.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/allocations.h"
#include "frontends/onnx/import.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "solver/certificate/certificate.h"
#include "solver/prove.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/writer.h"
#include "testing/networks/growth_shapes.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/proving/certify.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"

namespace tessera::bench {
namespace {

constexpr char kProgram[] = "growth";
// n log n is n^1.1 from a thousand to two thousand.
constexpr double kMostExponent = 1.2;

// Import, proofs, passes, artifact and certificate.
absl::Status Compile(const std::string& model, const std::string& artifact) {
  proving::Record imported;
  onnx_import::ImportOptions options;
  options.imported = [&](const ir::Graph& graph) { imported = proving::RecordOf(graph); };
  const absl::StatusOr<onnx_import::ImportResult> import = onnx_import::ImportFile(model, options);
  if (!import.ok()) return import.status();
  ir::Graph& graph = *import->graph;
  solver::Prover prover;
  proving::Ledger ledger;
  absl::Status status = ledger.Discharge(graph, prover, "import", /*guards=*/true, model);
  if (!status.ok()) return status;
  circle::CompileOptions compile;
  std::vector<passes::PassReport> reports;
  status = passes::Run(graph, passes::CanonicalPipeline(), compile.run, reports);
  if (!status.ok()) return status;
  compile.before_emission = [&](ir::Graph& lowered) {
    absl::Status discharged = ledger.Discharge(lowered, prover, "circle", /*guards=*/true, model);
    ledger.Finish(lowered, "circle");
    return discharged;
  };
  const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, compile);
  if (!compiled.ok()) return compiled.status();
  status = circle::WriteCircleFile(compiled->model, artifact);
  if (!status.ok()) return status;
  const absl::StatusOr<certificate::Certificate> certificate =
      proving::Certify(graph, imported, ledger, {});
  if (!certificate.ok()) return certificate.status();
  return support::WriteFile(artifact + ".cert.json", certificate::WriteCertificate(*certificate));
}

absl::StatusOr<Allocations> Measure(const testing::GrowthShape& shape, int nodes,
                                    const std::filesystem::path& folder) {
  const std::string model = (folder / "model.onnx").string();
  absl::Status status = support::WriteFile(model, shape.model(nodes).SerializeAsString());
  if (!status.ok()) return status;
  const Allocations before = AllocationsSoFar();
  status = Compile(model, (folder / "model.circle").string());
  const Allocations after = AllocationsSoFar();
  if (!status.ok())
    return absl::Status(status.code(), absl::StrCat(shape.name, ": ", status.message()));
  return Allocations{after.count - before.count, after.bytes - before.bytes};
}

double Exponent(int64_t half, int64_t whole) {
  return std::log2(static_cast<double>(whole) / static_cast<double>(half));
}

absl::StatusOr<bool> MeasureAll(int nodes, const std::vector<std::string>& wanted) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       absl::StrCat("growth.", static_cast<int64_t>(getpid()));
  if (absl::Status status = support::MakeFolder(folder.string()); !status.ok()) return status;
  std::vector<std::vector<std::string>> rows = {
      {"shape", "allocations a node", "bytes a node", "exponent", "of bytes"}};
  bool holds = true;
  absl::Status status;
  for (const testing::GrowthShape& shape : testing::GrowthShapes()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), shape.name) == wanted.end())
      continue;
    // Tables that are made once are made.
    absl::StatusOr<Allocations> half = Measure(shape, 16, folder);
    if (half.ok()) half = Measure(shape, nodes / 2, folder);
    const absl::StatusOr<Allocations> whole =
        half.ok() ? Measure(shape, nodes, folder) : half.status();
    if (!whole.ok()) {
      status = whole.status();
      break;
    }
    const double count = Exponent(half->count, whole->count);
    const double bytes = Exponent(half->bytes, whole->bytes);
    holds = holds && count <= kMostExponent && bytes <= kMostExponent;
    rows.push_back({shape.name, absl::StrCat(whole->count / nodes),
                    absl::StrCat(whole->bytes / nodes), absl::StrFormat("%.2f", count),
                    absl::StrFormat("%.2f", bytes)});
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!status.ok()) return status;
  std::cout << cli::Table(rows);
  return holds;
}

int Main(int argc, char** argv) {
  std::string nodes_text = "2000";
  std::vector<std::string> wanted;
  cli::CommandLine line(kProgram,
                        "Compiles networks of many shapes to Circle at two sizes, and fits how "
                        "what is asked of the heap grows; fails where it is more than n^1.2.");
  line.Value("nodes", "N", "nodes of the larger network; the other has half; default: 2000",
             &nodes_text)
      .Values("shape", "NAME", "only this shape; may be given several times", &wanted);
  line.Example("--nodes 32000 --shape relu");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  int nodes = 0;
  if (!absl::SimpleAtoi(nodes_text, &nodes) || nodes < 64 || nodes > 1000000)
    return line.WrongUsage(
        absl::StrCat("`--nodes ", nodes_text, "`: a number from 64 to 1000000 is needed"));
  std::vector<std::string> names;
  for (const testing::GrowthShape& shape : testing::GrowthShapes()) names.push_back(shape.name);
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return line.WrongUsage(
        absl::StrCat("no shape `", name, "`",
                     nearest ? absl::StrCat("; did you mean `", *nearest, "`?")
                             : absl::StrCat("; there are ", absl::StrJoin(names, ", "))));
  }
  cli::LinkOps();
  circle::RegisterOperators();
  const absl::StatusOr<bool> holds = MeasureAll(nodes, wanted);
  if (!holds.ok()) return cli::Report(kProgram, holds.status());
  if (*holds) return cli::kDone;
  std::cerr << kProgram << ": some shape grows faster than n^" << kMostExponent << "\n";
  return cli::kBadInput;
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::bench::kProgram, tessera::bench::Main, argc, argv);
}

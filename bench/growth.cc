// How compiling to Circle, and checking the certificate, grow with the size of a network, by what
// they ask of the heap: figures that are the same on every machine. docs/benchmarks.md.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/allocations.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/target.h"
#include "testing/networks/growth_shapes.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/compilation/compile.h"
#include "tools/proving/beside.h"
#include "tools/proving/certify.h"
#include "tools/proving/check_certificate.h"

namespace tessera::bench {
namespace {

constexpr char kProgram[] = "growth";
// n log n is n^1.1 from a thousand to two thousand.
constexpr double kMostExponent = 1.2;

// Of a network of one size.
struct Figures {
  Allocations compile;  // import, proofs, passes, artifact and certificate
  Allocations check;    // of the certificate, against artifact and model
};

Allocations Since(const Allocations& before) {
  const Allocations now = AllocationsSoFar();
  return {now.count - before.count, now.bytes - before.bytes};
}

absl::Status Compile(const targets::Target& target, const std::string& model,
                     const std::string& artifact) {
  absl::StatusOr<compilation::Plan> plan = compilation::MakePlan(target, {});
  if (!plan.ok()) return plan.status();
  plan->guards = true;
  const auto compiled = compilation::Compile(model, *plan, {});
  if (!compiled.ok()) return compiled.status();
  if (absl::Status status = support::WriteFileFromRuns(artifact, (*compiled)->artifact.runs);
      !status.ok())
    return status;
  const absl::StatusOr<certificate::FileDigest> digest = proving::DigestOfFile(artifact);
  if (!digest.ok()) return digest.status();
  return support::WriteFile(absl::StrCat(artifact, proving::kCertificateSuffix),
                            certificate::WriteCertificate((*compiled)->text, *digest));
}

absl::Status Check(const std::string& model, const std::string& artifact) {
  certificate::CheckOptions options;
  options.model = model;
  const auto verdict =
      proving::CheckCertificate(absl::StrCat(artifact, proving::kCertificateSuffix), options,
                                /*allow_evaluated=*/false);
  if (!verdict.ok()) return verdict.status();
  if (verdict->kind == proving::CertificateVerdict::kAccepted) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("its certificate is not accepted: ", verdict->text));
}

absl::StatusOr<Figures> Measure(const targets::Target& target, const testing::GrowthShape& shape,
                                int nodes, bool check, const std::filesystem::path& folder) {
  const std::string model = (folder / "model.onnx").string();
  const std::string artifact = (folder / "model.circle").string();
  Figures figures;
  absl::Status status = support::WriteFile(model, shape.model(nodes).SerializeAsString());
  Allocations before = AllocationsSoFar();
  if (status.ok()) status = Compile(target, model, artifact);
  figures.compile = Since(before);
  before = AllocationsSoFar();
  if (status.ok() && check) status = Check(model, artifact);
  figures.check = Since(before);
  if (!status.ok())
    return absl::Status(status.code(), absl::StrCat(shape.name, ": ", status.message()));
  return figures;
}

double Exponent(int64_t half, int64_t whole) {
  return std::log2(static_cast<double>(whole) / static_cast<double>(half));
}

absl::StatusOr<bool> MeasureAll(int nodes, bool check, const std::vector<std::string>& wanted) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       absl::StrCat("growth.", static_cast<int64_t>(getpid()));
  if (absl::Status status = support::MakeFolder(folder.string()); !status.ok()) return status;
  const targets::Target& target = *targets::Find("circle");
  std::vector<std::vector<std::string>> rows = {
      {"shape", "allocations a node", "bytes a node", "exponent", "of bytes"}};
  std::vector<Allocations Figures::*> parts = {&Figures::compile};
  if (check) {
    parts.push_back(&Figures::check);
    rows.front().insert(rows.front().end(),
                        {"check: allocations a node", "bytes a node", "exponent", "of bytes"});
  }
  bool holds = true;
  absl::Status status;
  for (const testing::GrowthShape& shape : testing::GrowthShapes()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), shape.name) == wanted.end())
      continue;
    // Tables that are made once are made.
    absl::StatusOr<Figures> half = Measure(target, shape, 16, check, folder);
    if (half.ok()) half = Measure(target, shape, nodes / 2, check, folder);
    const absl::StatusOr<Figures> whole =
        half.ok() ? Measure(target, shape, nodes, check, folder) : half.status();
    if (!whole.ok()) {
      status = whole.status();
      break;
    }
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(shape.name);
    for (Allocations Figures::*const part : parts) {
      const Allocations& of_half = (*half).*part;
      const Allocations& of_whole = (*whole).*part;
      const double count = Exponent(of_half.count, of_whole.count);
      const double bytes = Exponent(of_half.bytes, of_whole.bytes);
      holds = holds && count <= kMostExponent && bytes <= kMostExponent;
      row.insert(row.end(),
                 {absl::StrCat(of_whole.count / nodes), absl::StrCat(of_whole.bytes / nodes),
                  absl::StrFormat("%.2f", count), absl::StrFormat("%.2f", bytes)});
    }
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
  bool compile_only = false;
  cli::CommandLine line(kProgram,
                        "Compiles networks of many shapes to Circle at two sizes, checks their "
                        "certificates, and fits how what is asked of the heap grows; fails where "
                        "it is more than n^1.2.");
  line.Value("nodes", "N", "nodes of the larger network; the other has half; default: 2000",
             &nodes_text)
      .Values("shape", "NAME", "only this shape; may be given several times", &wanted)
      .Switch("compile-only", "leaves out the checks of certificates, which take most of the time",
              &compile_only);
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
  const absl::StatusOr<bool> holds = MeasureAll(nodes, !compile_only, wanted);
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

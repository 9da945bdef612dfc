// How compiling for a target, and checking the certificate, grow with the size of a network, by
// what they ask of the heap: figures that are the same on every machine. docs/benchmarks.md.
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
#include "tools/cli/target_flags.h"
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

// What is measured, and where.
struct Request {
  const targets::Target* target;
  int nodes;
  bool check;                       // certificates too
  std::vector<std::string> shapes;  // none: all
  std::string kept;                 // the folder in which networks stay; empty: none do
};

absl::StatusOr<Figures> Measure(const Request& request, const testing::GrowthShape& shape,
                                int nodes, const std::filesystem::path& folder) {
  const std::string model = (folder / absl::StrCat(shape.name, "_", nodes, ".onnx")).string();
  const std::string artifact = absl::StrCat(model, ".artifact");
  Figures figures;
  absl::Status status = support::WriteFile(model, shape.model(nodes).SerializeAsString());
  Allocations before = AllocationsSoFar();
  if (status.ok()) status = Compile(*request.target, model, artifact);
  figures.compile = Since(before);
  before = AllocationsSoFar();
  if (status.ok() && request.check) status = Check(model, artifact);
  figures.check = Since(before);
  if (!status.ok())
    return absl::Status(status.code(), absl::StrCat(shape.name, ": ", status.message()));
  return figures;
}

double Exponent(int64_t half, int64_t whole) {
  return std::log2(static_cast<double>(whole) / static_cast<double>(half));
}

absl::StatusOr<bool> MeasureAll(const Request& request, const std::filesystem::path& folder) {
  std::vector<std::vector<std::string>> rows = {
      {"shape", "allocations a node", "bytes a node", "exponent", "of bytes"}};
  std::vector<Allocations Figures::*> parts = {&Figures::compile};
  if (request.check) {
    parts.push_back(&Figures::check);
    rows.front().insert(rows.front().end(),
                        {"check: allocations a node", "bytes a node", "exponent", "of bytes"});
  }
  bool holds = true;
  for (const testing::GrowthShape& shape : testing::GrowthShapes()) {
    const std::vector<std::string>& wanted = request.shapes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), shape.name) == wanted.end())
      continue;
    // Tables that are made once are made.
    absl::StatusOr<Figures> half = Measure(request, shape, 16, folder);
    if (half.ok()) half = Measure(request, shape, request.nodes / 2, folder);
    const absl::StatusOr<Figures> whole =
        half.ok() ? Measure(request, shape, request.nodes, folder) : half.status();
    if (!whole.ok()) return whole.status();
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(shape.name);
    for (Allocations Figures::*const part : parts) {
      const Allocations& of_half = (*half).*part;
      const Allocations& of_whole = (*whole).*part;
      const double count = Exponent(of_half.count, of_whole.count);
      const double bytes = Exponent(of_half.bytes, of_whole.bytes);
      holds = holds && count <= kMostExponent && bytes <= kMostExponent;
      row.insert(row.end(), {absl::StrCat(of_whole.count / request.nodes),
                             absl::StrCat(of_whole.bytes / request.nodes),
                             absl::StrFormat("%.2f", count), absl::StrFormat("%.2f", bytes)});
    }
  }
  std::cout << cli::Table(rows);
  return holds;
}

absl::StatusOr<bool> MeasureIn(const Request& request) {
  if (!request.kept.empty()) {
    if (absl::Status status = support::MakeFolder(request.kept); !status.ok()) return status;
    return MeasureAll(request, request.kept);
  }
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       absl::StrCat("growth.", static_cast<int64_t>(getpid()));
  if (absl::Status status = support::MakeFolder(folder.string()); !status.ok()) return status;
  absl::StatusOr<bool> holds = MeasureAll(request, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return holds;
}

int Main(int argc, char** argv) {
  std::string nodes = "2000", target = "circle";
  bool compile_only = false;
  Request request;
  cli::CommandLine line(kProgram,
                        "Compiles networks of many shapes for a target at two sizes, checks their "
                        "certificates, and fits how what is asked of the heap grows; fails where "
                        "it is more than n^1.2.");
  line.Value("nodes", "N", "nodes of the larger network; the other has half; default: 2000", &nodes)
      .Value("target", "TARGET", "what to compile for; default: circle", &target)
      .Values("shape", "NAME", "only this shape; may be given several times", &request.shapes)
      .Switch("compile-only", "leaves out the checks of certificates, which take most of the time",
              &compile_only)
      .Value("output|o", "DIR", "networks and artifacts stay there, to be looked at",
             &request.kept);
  line.Example("--nodes 32000 --shape relu").Example("--target vulkan --nodes 1000 --compile-only");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  request.check = !compile_only;
  if (!absl::SimpleAtoi(nodes, &request.nodes) || request.nodes < 64 || request.nodes > 1000000)
    return line.WrongUsage(
        absl::StrCat("`--nodes ", nodes, "`: a number from 64 to 1000000 is needed"));
  request.target = targets::Find(target);
  if (request.target == nullptr)
    return line.WrongUsage(
        absl::StrCat("`--target ", target, "`: no such target; ", cli::TargetList()));
  std::vector<std::string> names;
  for (const testing::GrowthShape& shape : testing::GrowthShapes()) names.push_back(shape.name);
  for (const std::string& name : request.shapes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return line.WrongUsage(
        absl::StrCat("no shape `", name, "`",
                     nearest ? absl::StrCat("; did you mean `", *nearest, "`?")
                             : absl::StrCat("; there are ", absl::StrJoin(names, ", "))));
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  const absl::StatusOr<bool> holds = MeasureIn(request);
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

#include "recheck/recheck.h"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"
#include "recheck/archive.h"
#include "recheck/artifact_reader.h"
#include "recheck/model.h"
#include "recheck/program.h"
#include "recheck/program_reader.h"
#include "recheck/session.h"
#include "recheck/symbols.h"
#include "support/file.h"

namespace tessera::recheck {

namespace {

// After the reader of a model, or of a program, has required all that its nodes do.
Report ReportOf(const certificate::Certificate& certificate, Session& session, int64_t nodes,
                const Artifact* artifact) {
  Report report;
  report.failures = session.Compare();
  for (std::string& failure : CheckSymbols(certificate, session))
    report.failures.push_back(std::move(failure));
  report.left = session.left();
  report.tried = session.Tried();
  std::vector<std::pair<std::string, Dim>> unstated = session.unstated();
  const auto of_nodes = static_cast<std::ptrdiff_t>(unstated.size());
  report.nodes = nodes;
  const size_t of_model = session.derived();
  report.requirements = static_cast<int64_t>(of_model);
  if (artifact != nullptr && report.failures.empty()) {
    ArtifactReader operators(*artifact, session);
    operators.Run();
    report.failures = session.failures();
    report.left_operators = operators.left();
    report.operators = operators.operators();
    for (size_t i = of_model; i < session.requirements().size(); ++i) {
      const Requirement& required = session.requirements()[i];
      ++report.of_operators;
      if (const std::optional<Dim> left = session.LeftToProve(required.statement))
        unstated.emplace_back(required.node, *left);
    }
    // What was owed on the way, beside what operators require.
    unstated.insert(unstated.end(), session.unstated().begin() + of_nodes,
                    session.unstated().end());
  }
  const auto texts = [&](const auto& owed) {
    std::set<Dim> seen;
    std::vector<Unstated> distinct;
    for (const auto& [node, statement] : owed) {
      if (seen.insert(statement).second)
        distinct.push_back({node, session.terms().Text(statement)});
    }
    return distinct;
  };
  report.unstated = texts(unstated);
  report.of_sizes = texts(session.of_sizes());
  for (const Dim statement : session.said()) report.said.push_back(session.terms().Text(statement));
  return report;
}

}  // namespace

absl::StatusOr<Report> RecheckBytes(const std::string& bytes, const std::string& path,
                                    const certificate::Certificate& certificate,
                                    const Artifact* artifact) {
  if (IsArchive(bytes)) {
    const absl::StatusOr<Program> program = ReadProgram(bytes);
    if (!program.ok())
      return absl::InvalidArgumentError(absl::StrCat("`", path, "`: ", program.status().message()));
    Session session(certificate);
    if (absl::Status status = session.Read(); !status.ok()) return status;
    ProgramReader reader(*program, session);
    reader.Run();
    return ReportOf(certificate, session, reader.nodes(), artifact);
  }
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    return absl::InvalidArgumentError(
        absl::StrCat("`", path, "` is neither an ONNX model nor a program of torch.export.save"));
  return Recheck(model, path.substr(0, path.rfind('/') + 1), certificate, artifact);
}

absl::StatusOr<Report> Recheck(const std::string& path, const certificate::Certificate& certificate,
                               const Artifact* artifact) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  return RecheckBytes(*bytes, path, certificate, artifact);
}

absl::StatusOr<Report> Recheck(const onnx::ModelProto& model, const std::string& folder,
                               const certificate::Certificate& certificate,
                               const Artifact* artifact) {
  Session session(certificate);
  if (absl::Status status = session.Read(); !status.ok()) return status;
  ModelReader reader(model, folder, session);
  reader.Run();
  return ReportOf(certificate, session, reader.nodes(), artifact);
}

}  // namespace tessera::recheck

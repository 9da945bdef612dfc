#include "recheck/recheck.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"
#include "recheck/model.h"
#include "recheck/session.h"
#include "recheck/symbols.h"
#include "support/file.h"

namespace tessera::recheck {

absl::StatusOr<Report> Recheck(const std::string& path,
                               const certificate::Certificate& certificate) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  onnx::ModelProto model;
  if (!model.ParseFromString(*bytes))
    return absl::InvalidArgumentError(absl::StrCat("`", path, "` is no ONNX model"));
  return Recheck(model, path.substr(0, path.rfind('/') + 1), certificate);
}

absl::StatusOr<Report> Recheck(const onnx::ModelProto& model, const std::string& folder,
                               const certificate::Certificate& certificate) {
  Session session(certificate);
  if (absl::Status status = session.Read(); !status.ok()) return status;
  ModelReader reader(model, folder, session);
  reader.Run();
  Report report;
  report.failures = session.Compare();
  for (std::string& failure : CheckSymbols(certificate, session))
    report.failures.push_back(std::move(failure));
  report.left = session.left();
  std::set<std::string> seen;
  for (const auto& [node, statement] : session.unstated()) {
    std::string text = session.terms().Text(statement);
    if (seen.insert(text).second) report.unstated.push_back({node, std::move(text)});
  }
  report.nodes = reader.nodes();
  report.requirements = static_cast<int64_t>(session.derived());
  return report;
}

}  // namespace tessera::recheck

#include "testing/mutation/program_judge.h"

#include <algorithm>
#include <filesystem>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

std::string Problem(const std::string& folder, const std::string& name) {
  verification::Request request;
  request.model = absl::StrCat(folder, "/", name, "/model.pt2");
  request.data = absl::StrCat(folder, "/", name);
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  if (!report.ok()) return std::string(report.status().message());
  return report->holds() ? "" : report->ToText();
}

}  // namespace

std::set<std::string> ProgramsThatHold(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (std::filesystem::exists(entry.path() / "model.pt2") && Problem(folder, name).empty())
      names.insert(name);
  }
  return names;
}

std::string ProgramComplaints(const std::string& folder, const std::set<std::string>& known,
                              const std::set<std::string>& overloads) {
  for (const std::string& name : known) {
    // The graph of a program is a text in an archive of files as they are.
    const absl::StatusOr<std::string> file =
        support::ReadFile(absl::StrCat(folder, "/", name, "/model.pt2"));
    if (!file.ok()) return std::string(file.status().message());
    if (std::none_of(overloads.begin(), overloads.end(), [&](const std::string& overload) {
          return absl::StrContains(*file, overload);
        }))
      continue;
    const std::string problem = Problem(folder, name);
    if (!problem.empty()) return absl::StrCat(name, ": ", problem);
  }
  return "";
}

}  // namespace tessera::testing

#include "targets/circle/runtimes/inspect.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/circle/runtimes/results_use.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {
namespace {

using Found =
    std::map<std::string, std::pair<std::string, int>>;  // first place and count, by reason

void AppendLines(const Found& found, std::vector<std::string>& lines) {
  for (const auto& [reason, where] : found) {
    lines.push_back(where.second == 1 ? absl::StrCat(reason, " (", where.first, ")")
                                      : absl::StrCat(reason, " (", where.second, " times, first ",
                                                     where.first, ")"));
  }
}

}  // namespace

std::vector<std::string> NotHeld(const FileModel& model, const Places& places) {
  Found found;
  for (size_t g = 0; g < model.graphs.size(); ++g) {
    const FileGraph& graph = model.graphs[g];
    FileUses uses(model, graph);
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      const Use use = uses.Of(graph.operators[i]);
      const std::string reason = places.WhyNot(use);
      if (reason.empty()) continue;
      auto& [place, count] = found[absl::StrCat(TextOf(use), ": ", reason)];
      if (count++ == 0)
        place = absl::StrCat(GraphPlace(model, g), OperatorPlace(graph, static_cast<int64_t>(i)));
    }
  }
  std::vector<std::string> lines;
  const Use results = UseOfResults(model);
  if (const std::string reason = places.WhyNot(results); !reason.empty())
    lines.push_back(absl::StrCat(kResults, " of integers: ", reason));
  AppendLines(found, lines);
  return lines;
}

std::vector<std::string> NotHeldWithoutEntries(const ir::Graph& graph, const Places& places) {
  Found found;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const std::optional<Use> use = UseOf(*op);
    if (!use.has_value() || use->forms.count(kEmpty) + use->forms.count(kEmptyResults) == 0)
      continue;
    // What has none whatever the sizes are, and what does not run with entries either, a file
    // tells.
    if (SizesThatMayBeNone(*op).empty() || !places.WhyNot(WithEntries(*use)).empty()) continue;
    const std::string reason = places.WhyNot(*op);
    if (reason.empty()) continue;
    auto& [place, count] = found[absl::StrCat(TextOf(*use), ": ", reason)];
    if (count++ == 0) place = op->location().ToString();
  }
  std::vector<std::string> lines;
  AppendLines(found, lines);
  return lines;
}

}  // namespace tessera::circle

#include "targets/circle/runtimes/inspect.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/circle/runtimes/results_use.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

std::vector<std::string> NotHeld(const FileModel& model, const Places& places) {
  std::map<std::string, std::pair<std::string, int>> found;  // first place and count, by reason
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
  for (const auto& [reason, where] : found) {
    lines.push_back(where.second == 1 ? absl::StrCat(reason, " (", where.first, ")")
                                      : absl::StrCat(reason, " (", where.second, " times, first ",
                                                     where.first, ")"));
  }
  return lines;
}

}  // namespace tessera::circle

#include "targets/circle/runtimes/fit_file.h"

#include <algorithm>

#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

void FitFile(FileModel& model, const Places& places) {
  if (model.graphs.size() < 2) return;  // no loop has a body
  const auto stops = [&](const FileGraph& graph, const FileOperator& op) {
    const Use use = UseOf(model, graph, op);
    return use.forms.count(kUnknownResults) != 0 && !places.WhyNot(use).empty();
  };
  const bool keep_back =
      std::any_of(model.graphs.begin(), model.graphs.end(), [&](const FileGraph& graph) {
        return std::any_of(graph.operators.begin(), graph.operators.end(),
                           [&](const FileOperator& op) { return stops(graph, op); });
      });
  if (keep_back) KeepBackLoopSizes(model);
}

}  // namespace tessera::circle

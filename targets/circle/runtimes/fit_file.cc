#include "targets/circle/runtimes/fit_file.h"

#include "targets/circle/file/calls.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/own_operands.h"
#include "targets/circle/file/result_sizes.h"
#include "targets/circle/runtimes/results_use.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

void FitFile(FileModel& model, const Places& places) {
  const Use results = UseOfResults(model);
  if (results.forms.count(kLateIntegers) != 0 && !places.WhyNot(results).empty())
    KeepBackResultSizes(model);
  if (model.graphs.size() < 2) return;  // nothing runs another graph
  // What of a form alone is in the way somewhere.
  const auto stops = [&](const char* form) {
    for (const FileGraph& graph : model.graphs) {
      FileUses uses(model, graph);
      for (const FileOperator& op : graph.operators) {
        if (CallOf(op).kind == GraphCall::kNone) continue;
        Use use = uses.Of(op);
        if (use.forms.count(form) == 0) continue;
        use.forms = {form};
        if (!places.WhyNot(use).empty()) return true;
      }
    }
    return false;
  };
  if (stops(kTakenElsewhere)) GiveOwnOperands(model);
  if (stops(kUnknownResults)) KeepBackLoopSizes(model);
}

}  // namespace tessera::circle

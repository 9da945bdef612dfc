// What of a file a runtime cannot run.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_INSPECT_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_INSPECT_H_

#include <string>
#include <vector>

#include "ir/graph.h"
#include "targets/circle/file/model.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {

// One line for each operator in a form that one of `places` is not known to run, with the first
// place where it stands and how many there are; in the order of names.
std::vector<std::string> NotHeld(const FileModel& model, const Places& places);

// Likewise of the operators that it would run if no size were 0, of those that may be.
std::vector<std::string> NotHeldWithoutEntries(const ir::Graph& graph, const Places& places);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_INSPECT_H_

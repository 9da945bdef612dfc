// Graphs of an exported program as lists of calls; those within calls stand where they are run.
#ifndef TESSERA_RECHECK_PROGRAM_GRAPHS_H_
#define TESSERA_RECHECK_PROGRAM_GRAPHS_H_

#include "absl/status/status.h"
#include "recheck/program.h"
#include "recheck/program_json.h"

namespace tessera::recheck {

// Adds the graph's calls, and what is said of its tensors. Error: they would be too many.
absl::Status ReadCalls(const Json& graph, Program& program);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_PROGRAM_GRAPHS_H_

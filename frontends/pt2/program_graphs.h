// Graphs of an exported program, those within nodes as if they stood in their place.
#ifndef TESSERA_FRONTENDS_PT2_PROGRAM_GRAPHS_H_
#define TESSERA_FRONTENDS_PT2_PROGRAM_GRAPHS_H_

#include "absl/status/status.h"
#include "frontends/pt2/program.h"
#include "frontends/pt2/program_json.h"

namespace tessera::pt2_import {

// Adds the graph's nodes, and what is said of its tensors. A node that runs a graph of its own, one
// of two, or one for each entry of an axis of known length, becomes the nodes of these; one that
// runs a graph as often as an axis is long, or as data say, becomes a loop. Error
// (ResourceExhausted): they would be too many.
absl::Status ReadNodes(const Json& graph, Program& program);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_PROGRAM_GRAPHS_H_

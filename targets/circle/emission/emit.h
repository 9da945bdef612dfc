// A graph of Circle operators as the contents of a file.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/circle/emission/branches.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// The graph holds constants and operators with a code, in the order in which they are to run;
// outputs are results of operators, each once. Constants are views of the graph's tensors and own
// them jointly. `configuration` goes into the metadata. What `may_branch` (null: none) is false of
// is computed whatever a condition is. Error: Internal, anything else in the graph.
absl::StatusOr<FileModel> Emit(const ir::Graph& graph,
                               const std::map<std::string, std::string>& configuration,
                               MayBranch may_branch = nullptr);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_H_

// Commands applied to the file that the graph came from.
#ifndef TESSERA_TOOLS_COMPRESSION_COMMIT_H_
#define TESSERA_TOOLS_COMPRESSION_COMMIT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontends/onnx/edit/model_editor.h"
#include "passes/compression/command.h"

namespace tessera::tools {

// In order of priority, and of the commands within one. What several points ask for alike is done
// once: equal grids of one tensor are one pair of nodes. Returns what was merged, for people.
// Errors: two algorithms ask for different things at one point; the format cannot say it.
absl::StatusOr<std::vector<std::string>> Commit(std::vector<compression::Command> commands,
                                                onnx_import::ModelEditor& editor);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_COMMIT_H_

// What is said to the user of the sizes for which the result holds, beyond what was declared.
#ifndef TESSERA_TOOLS_CLI_ASSUMPTIONS_H_
#define TESSERA_TOOLS_CLI_ASSUMPTIONS_H_

#include <string>
#include <vector>

#include "frontends/onnx/import.h"

namespace tessera::cli {

// One for each declaration that the importer took for granted, and for each fact of the graph:
// those that come of sizes computed in floats, and dims that are defined by others. Without a
// newline at the end. A range of `options` that a fact narrows is named.
std::vector<std::string> Assumptions(const onnx_import::ImportResult& import,
                                     const onnx_import::ImportOptions& options);

// Each on a line.
std::string AssumptionLines(const onnx_import::ImportResult& import,
                            const onnx_import::ImportOptions& options);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_ASSUMPTIONS_H_

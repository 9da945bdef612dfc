// The addresses of a network's operations, as a table.
#ifndef TESSERA_TOOLS_INSPECT_SCOPES_H_
#define TESSERA_TOOLS_INSPECT_SCOPES_H_

#include <string>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"

namespace tessera {

// Of the ONNX file at `path`: address, op, the result's type, elements of constants, and what the
// op's definition lets quantization do. Errors of the importer.
absl::StatusOr<std::string> ScopesText(const std::string& path,
                                       const onnx_import::ImportOptions& options);

}  // namespace tessera

#endif  // TESSERA_TOOLS_INSPECT_SCOPES_H_

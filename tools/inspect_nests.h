// What the operations of a network compute, as text.
#ifndef TESSERA_TOOLS_INSPECT_NESTS_H_
#define TESSERA_TOOLS_INSPECT_NESTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"

namespace tessera {

// Of every operation of an ONNX file after its import: the nests with their costs, or why there are
// none. Sizes stay symbols.
absl::StatusOr<std::string> NestText(const std::string& path,
                                     const onnx_import::ImportOptions& options);

}  // namespace tessera

#endif  // TESSERA_TOOLS_INSPECT_NESTS_H_

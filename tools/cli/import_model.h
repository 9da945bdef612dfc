// A model file of any format that is read. Which one it is says its content, not its name.
#ifndef TESSERA_TOOLS_CLI_IMPORT_MODEL_H_
#define TESSERA_TOOLS_CLI_IMPORT_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"

namespace tessera::cli {

// What it takes, for a tool's help.
inline constexpr char kModelFile[] = "an ONNX file or a program of PyTorch (.pt2)";

// An ONNX model, or an archive of torch.export.save. Errors as of both frontends: each problem has
// a line of its own.
absl::StatusOr<onnx_import::ImportResult> ImportModel(const std::string& path,
                                                      const onnx_import::ImportOptions& options);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_IMPORT_MODEL_H_

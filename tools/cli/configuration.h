// The YAML configuration of the compiler.
//
//   version: "1.0"
//   passes:
//     canonicalize: off
#ifndef TESSERA_TOOLS_CLI_CONFIGURATION_H_
#define TESSERA_TOOLS_CLI_CONFIGURATION_H_

#include <string>

#include "absl/status/status.h"
#include "passes/runner.h"

namespace tessera::cli {

// Applies the file to `options`. Errors name the file, line and key: unknown keys (with the nearest
// known one), values of the wrong kind, another version.
absl::Status ReadConfiguration(const std::string& path, const passes::Pipeline& known,
                               passes::RunOptions& options);
absl::Status ParseConfiguration(const std::string& name, const std::string& text,
                                const passes::Pipeline& known, passes::RunOptions& options);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_CONFIGURATION_H_

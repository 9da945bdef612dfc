// The YAML configuration of the compiler; JSON is YAML.
//
//   version: "1.0"
//   passes:                                # each of them
//     canonicalize: off
//   rewrites:                              # those of all definitions, by name
//     Relu.idempotent: off
//   legalize_causal_mask_value: on         # keys of the target's own
#ifndef TESSERA_TOOLS_CLI_CONFIGURATION_H_
#define TESSERA_TOOLS_CLI_CONFIGURATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/runner.h"
#include "targets/toggle.h"

namespace tessera::cli {

inline constexpr char kConfigurationVersion[] = "1.0";

// What keys there are. The rewrites are those of ir::Registry::Global().
struct ConfigurationKeys {
  passes::Pipeline passes;
  std::vector<targets::Toggle> toggles;
  bool toggles_only = false;  // a file of others, who have neither `passes` nor `rewrites`
};

// What a file says besides the options of a run.
struct Configured {
  std::map<std::string, bool> toggles;  // those that it gives
  std::vector<std::string> notes;       // for the user
};

// Applies the file to `options`. Errors name the file, line and key: unknown keys (with the nearest
// known one), values of the wrong kind, another version.
absl::StatusOr<Configured> ReadConfiguration(const std::string& path, const ConfigurationKeys& keys,
                                             passes::RunOptions& options);
absl::StatusOr<Configured> ParseConfiguration(const std::string& name, const std::string& text,
                                              const ConfigurationKeys& keys,
                                              passes::RunOptions& options);

// A file that says all there is to say, with what it means: the values in effect.
std::string ConfigurationText(const ConfigurationKeys& keys, const Configured& configured,
                              const passes::RunOptions& options);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_CONFIGURATION_H_

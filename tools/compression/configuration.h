// What to compress and how, in YAML: algorithms with their keys.
//
//   version: "1.0"
//   compression:
//     - algorithm: quantization
//       ignored_scopes: ["head/Gemm_0", "{re}^body/3"]
//       initializer: {range: {type: percentile}}
#ifndef TESSERA_TOOLS_COMPRESSION_CONFIGURATION_H_
#define TESSERA_TOOLS_COMPRESSION_CONFIGURATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/algorithm.h"

namespace tessera::tools {

struct Chosen {
  const compression::Algorithm* algorithm = nullptr;
  compression::Section section;
};

struct CompressionConfiguration {
  std::vector<Chosen> algorithms;
  std::vector<std::string> notes;  // about keys of others that mean nothing here
};

// Errors name file, line, column and key: unknown ones with the nearest known, values of the wrong
// kind. `name` stands for the file.
absl::StatusOr<CompressionConfiguration> ParseCompression(const std::string& name,
                                                          const std::string& text);
absl::StatusOr<CompressionConfiguration> ReadCompression(const std::string& path);

// Configurations that come with the program, by name; each is a text as above.
std::vector<std::string> PresetNames();
absl::StatusOr<CompressionConfiguration> ReadPreset(const std::string& name);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_CONFIGURATION_H_

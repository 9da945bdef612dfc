// What to compress and how, in YAML: algorithms with their keys.
//
//   version: "1.0"
//   compression:
//     - algorithm: quantization
//       ignored_scopes: ["head/Gemm_0", "{re}^body/3"]
//       initializer: {range: {type: percentile}}
//   max_drop: 0.5dB
#ifndef TESSERA_TOOLS_COMPRESSION_CONFIGURATION_H_
#define TESSERA_TOOLS_COMPRESSION_CONFIGURATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/algorithm.h"

namespace tessera::tools {

struct Chosen {
  const compression::Algorithm* algorithm = nullptr;
  compression::Section section;
};
// Whether a bound decides about its level.
bool IsScheduled(const Chosen& chosen);

// How far compression may take the outputs from those of the network, whatever that costs in size.
struct Bound {
  enum class Kind : uint8_t {
    kLeastSnr,
    // What the error adds to the energy of the part of an output that varies from sample to sample:
    // the quality that is lost where the truth is as far from the network's outputs as those are
    // from their mean.
    kMostDrop,
  };
  Kind kind = Kind::kLeastSnr;
  double decibels = 0;
  std::string ToString() const;  // `an SNR of at least 30.0 dB`
};

// `0.5`, `0.5dB`, `0.5 dB`. Error: the text is none, or no drop; without a place.
absl::StatusOr<Bound> ParseBound(Bound::Kind kind, std::string_view text);

struct CompressionConfiguration {
  std::vector<Chosen> algorithms;
  std::optional<Bound> bound;
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

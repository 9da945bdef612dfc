// What a configuration says of `weight_compression`.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_SETTINGS_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/compression/section.h"
#include "passes/compression/weights/group_grid.h"

namespace tessera::compression {

struct WeightSettings {
  std::vector<std::string> targets, ignored;
  GroupedScheme primary;    // group 0: a whole row
  GroupedScheme backup;     // 8 bits
  bool has_backup = true;   // else what cannot be of the primary scheme stays as it is
  double ratio = 1;         // part of the weights that gets the primary scheme
  bool all_layers = false;  // also tables, convolutions and the last products
  bool by_output = true;    // sensitivities by what is read, where there are samples
  bool data_aware = true;   // codes by the error of results, where there are samples
  size_t samples = 64;
  enum class Format : uint8_t { kAuto, kBlocks, kPacked, kTabled, kLookup } format = Format::kAuto;
};

// Whether a format is of codes for entries of a table.
inline bool IsTabled(WeightSettings::Format format) {
  return format == WeightSettings::Format::kTabled || format == WeightSettings::Format::kLookup;
}

absl::Span<const Key> WeightKeys();
absl::StatusOr<WeightSettings> ReadWeightSettings(const Section& section);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_SETTINGS_H_

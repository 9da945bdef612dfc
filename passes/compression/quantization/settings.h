// What a configuration says of quantization.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_SETTINGS_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_SETTINGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/range.h"
#include "passes/compression/quantization/weight_scales.h"
#include "passes/compression/section.h"

namespace tessera::compression {

struct QuantizationSettings {
  std::vector<std::string> targets, ignored;
  PlanOptions plan;
  bool symmetric = false;
  ir::DType storage = ir::DType::kI8;
  WeightScheme weights;
  bool per_channel = true;
  RangeMethod range;
  size_t samples = 0;
  bool correct_biases = true, round_by_output = true;
};

// The keys of such a section, and what they say. Errors: place, key, what is wrong.
absl::Span<const Key> QuantizationKeys();
absl::StatusOr<QuantizationSettings> ReadSettings(const Section& section);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_SETTINGS_H_

#include <algorithm>
#include <vector>

#include "passes/compression/algorithm.h"
#include "passes/compression/pruning/filter_pruning.h"
#include "passes/compression/quantization/equalization.h"
#include "passes/compression/quantization/quantization.h"
#include "passes/compression/quantization/smoothing.h"
#include "passes/compression/sparsity/magnitude_sparsity.h"
#include "passes/compression/weights/activation_aware.h"
#include "passes/compression/weights/weight_compression.h"

namespace tessera::compression {

absl::Span<const Algorithm* const> Algorithms() {
  static const auto* const all = new std::vector<const Algorithm*>{
      &ActivationAware(), &Equalization(), &FilterPruning(),     &MagnitudeSparsity(),
      &Quantization(),    &Smoothing(),    &WeightCompression(),
  };
  return *all;
}

const Algorithm* FindAlgorithm(std::string_view name) {
  for (const Algorithm* algorithm : Algorithms()) {
    if (algorithm->name == name) return algorithm;
  }
  return nullptr;
}

}  // namespace tessera::compression

#include <algorithm>
#include <vector>

#include "passes/compression/algorithm.h"
#include "passes/compression/quantization/equalization.h"
#include "passes/compression/quantization/quantization.h"

namespace tessera::compression {

absl::Span<const Algorithm* const> Algorithms() {
  static const auto* const all = new std::vector<const Algorithm*>{
      &Equalization(),
      &Quantization(),
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

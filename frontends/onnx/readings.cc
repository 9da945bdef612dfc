#include "frontends/onnx/readings.h"

namespace tessera::onnx_import {

absl::Span<const Reading> Readings() {
  static constexpr Reading kReadings[] = {
      {"rounded_sizes",
       "a Resize by scales yields floor(size * scale) of the product in floats of 32 bits, as ONNX "
       "Runtime has it (10 by 0.7 is 7, as in PyTorch); otherwise of the exact product, as the "
       "operator's text and ONNX's evaluator have it (6, for the float nearest to 0.7 is less)"},
  };
  return kReadings;
}

}  // namespace tessera::onnx_import

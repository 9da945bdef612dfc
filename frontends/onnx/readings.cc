#include "frontends/onnx/readings.h"

namespace tessera::onnx_import {

absl::Span<const Reading> Readings() {
  static constexpr Reading kReadings[] = {
      {"rounded_sizes",
       "a Resize by scales yields floor(size * scale) of the product in floats of 32 bits, as ONNX "
       "Runtime has it (10 by 0.7 is 7, as in PyTorch); otherwise of the exact product, as the "
       "operator's text and ONNX's evaluator have it (6, for the float nearest to 0.7 is less)"},
      {"nearest_sizes",
       "a Resize or Upsample by scales that the network computes from sizes yields the integer "
       "nearest to size * scale, which is the size that an exporter divided by size; the "
       "operator's "
       "text, rounded down in floats, has one less for some (41 to 1: 0)"},
  };
  return kReadings;
}

}  // namespace tessera::onnx_import

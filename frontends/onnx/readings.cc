#include "frontends/onnx/readings.h"

namespace tessera::onnx_import {

absl::Span<const Reading> Readings() {
  static constexpr Reading kReadings[] = {
      {"rounded_sizes",
       "a Resize by scales yields floor(size * scale) of the product in floats of 32 bits, as ONNX "
       "Runtime has it (10 by 0.7 is 7, as in PyTorch); otherwise of the exact product, as the "
       "operator's text and ONNX's evaluator have it (6, for the float nearest to 0.7 is less)"},
      {"whole_lengths",
       "a Resize by scales and `align_corners` has its last entry where x has its last, as ONNX "
       "Runtime and PyTorch have it (of 4 by 0.6 the second of 2 lies at 3); otherwise positions "
       "follow from size * scale before that is rounded down, as ONNX's evaluator and its test "
       "have it (at 2.14)"},
      {"nearest_sizes",
       "a Resize or Upsample by scales that the network computes from sizes yields the integer "
       "nearest to size * scale, which is the size that an exporter divided by size; the "
       "operator's "
       "text, rounded down in floats, has one less for some (41 to 1: 0)"},
  };
  return kReadings;
}

}  // namespace tessera::onnx_import

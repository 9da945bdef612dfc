// What quantization may do at the operands of an op: its `quantize` clause as data.
#ifndef TESSERA_CODEGEN_SUPPORT_QUANTIZE_TRAIT_H_
#define TESSERA_CODEGEN_SUPPORT_QUANTIZE_TRAIT_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace tessera::ir {

enum class Quantizable : uint8_t {
  kNever,        // its operands stay as they are
  kInputs,       // operands of floats may be quantized
  kFine,         // the same, where they get 16 bits: with 8 the result would lose too much
  kSums,         // the same of an addition, which of a product and a constant is its bias
  kClamps,       // bounds an operand by constants; of two that vary, as inputs
  kWeights,      // a product: `data` and `weight` may be quantized
  kAgnostic,     // moves or selects elements of operand `data`: the result has its grid
  kUnified,      // joins operands from `data` on: all of them and the result have one grid
  kQuantizes,    // makes codes of numbers: x, scale, zero point
  kDequantizes,  // makes numbers of codes: likewise
};

struct QuantizeTrait {
  std::string_view dialect, op;
  Quantizable kind;
  int data;               // operand
  int weight;             // operand; -1: none
  int axis, result_axis;  // of it and of the result: with a scale per entry, from the end if < 0
  int bias;               // operand that is added to each entry of that axis; -1: none
  int groups;  // attribute: into so many parts the axis falls, each of which meets its own data; or
               // -1
  std::string_view onnx;  // what an ONNX file calls it; may be empty
};

}  // namespace tessera::ir

#endif  // TESSERA_CODEGEN_SUPPORT_QUANTIZE_TRAIT_H_

// Products on integers whose data get a grid by their own range whenever they are computed, as ONNX
// Runtime's quantizer writes them: DynamicQuantizeLinear, the integer product, and what makes real
// numbers of its sums.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_DYNAMIC_PRODUCT_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_DYNAMIC_PRODUCT_H_

#include <optional>
#include <string>

#include "passes/compression/builder.h"
#include "passes/compression/quantization/plan.h"

namespace tessera::compression {

// From which ONNX has those nodes.
inline constexpr int64_t kDynamicSince = 11;

// A node of the file that has a counterpart on integers, and what it reads there.
struct IntegerForm {
  std::string node;                   // type of the counterpart
  std::string data, bias;             // tensors; no bias: empty
  const ir::Tensor* added = nullptr;  // the bias, if it is constant
  bool matrix = false;  // it multiplies by the last axis; else the counterpart has its attributes
};
// Nullopt: there is none, or it does more than a product.
std::optional<IntegerForm> IntegerFormOf(const BuildContext& context, const ir::Operation& op);

// `codes`: i32, of the constant's shape, with channels along `axis`; `grid`: symmetric, i8. `bias`
// takes the place of the node's own.
ReplaceNode AsIntegers(const IntegerForm& form, const std::string& weight, int64_t axis,
                       const ir::Tensor& codes, const Grid& grid,
                       const std::optional<ir::Tensor>& bias);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_DYNAMIC_PRODUCT_H_

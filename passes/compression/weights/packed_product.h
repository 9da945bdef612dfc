// A product with a matrix of packed codes as one node of ONNX Runtime's own operator set
// (`MatMulNBits`): for models of an opset in which ONNX itself has no blocks of codes.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_

#include <string>

#include "passes/compression/command.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// Blocks that the operator takes: powers of two from 16 on.
bool IsPackableGroup(int64_t group);

ReplaceNode Packed(const PlainProduct& node, const std::string& weight, const GroupedCodes& codes,
                   const GroupedScheme& scheme);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_

// A product with a matrix of packed codes as one node of ONNX Runtime's own operator set
// (`MatMulNBits`): for models of an opset in which ONNX itself has no blocks of codes.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_

#include <optional>
#include <string>

#include "passes/compression/builder.h"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// The node whose product `op` is, if it does nothing else: reads its data as they stand in the
// file, and adds at most a term per channel. Nullopt: it does more.
struct PackableNode {
  std::string data;  // tensor
  std::string bias;  // tensor; empty: none
};
std::optional<PackableNode> AsPackable(const BuildContext& context, const ir::Operation& op);

// Blocks that the operator takes: powers of two from 16 on.
bool IsPackableGroup(int64_t group);

ReplaceNode Packed(const PackableNode& node, const std::string& weight, const GroupedCodes& codes,
                   const GroupedScheme& scheme);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_PACKED_PRODUCT_H_

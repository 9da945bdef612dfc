// Nodes that are a product with a matrix and nothing else, so that another node may stand for them.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAIN_PRODUCT_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAIN_PRODUCT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "passes/compression/builder.h"

namespace tessera::compression {

// By what its definition says of its operands: channels are the last axis of the weight and of the
// result, and inputs the other axis.
bool IsMatrixProduct(const ir::Operation& op);

// The node whose product with a matrix `op` is, if it does nothing else: reads its data as they
// stand in the file, and adds at most a term per channel. Nullopt: it does more.
struct PlainProduct {
  std::string data;  // tensor
  std::string bias;  // tensor; empty: none
  int64_t rank = 0;  // of the data; 1: a vector, which the node makes a row of
};
std::optional<PlainProduct> AsPlainProduct(const BuildContext& context, const ir::Operation& op);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAIN_PRODUCT_H_

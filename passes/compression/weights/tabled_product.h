// A product with a matrix of codes of 4 bits that stand for entries of a table, each block of
// inputs with a factor: as one node of ONNX Runtime's own operator set (`MatMulBnb4`), or as nodes
// of ONNX's that look the entries up.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_TABLED_PRODUCT_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_TABLED_PRODUCT_H_

#include <string>
#include <vector>

#include "passes/compression/command.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// Quantiles of a normal distribution, as QLoRA has them (Dettmers et al., 2023), floats that
// ONNX Runtime's kernel has as well. 0 is one.
const std::vector<double>& NormalFloats();

// Blocks follow each other through the rows: the group divides the number of inputs.
ReplaceNode TabledNode(const PlainProduct& node, const std::string& weight,
                       const GroupedCodes& codes, const GroupedScheme& scheme);
ReplaceNode LookedUp(const PlainProduct& node, const std::string& weight, const GroupedCodes& codes,
                     const GroupedScheme& scheme);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_TABLED_PRODUCT_H_

// Values that go from one product to others, by channels.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_LINKS_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_LINKS_H_

#include <cstdint>
#include <vector>

#include "passes/compression/quantization/plan.h"

namespace tessera::compression {

// A value that products alone read, and that a product makes, its bias and what bounds it included;
// all their weights are constants of their own.
struct Link {
  const WeightSite* maker = nullptr;
  const BiasSite* bias = nullptr;   // null: none
  const ir::Value* made = nullptr;  // before what bounds
  const ir::Value* value = nullptr;
  std::vector<const ir::Operation*> bounds;
  std::vector<const WeightSite*> readers;
  int64_t axis = 0;  // of the channels
};

// Of the plan's products; the plan must outlive them.
std::vector<Link> FindLinks(const Plan& plan);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_LINKS_H_

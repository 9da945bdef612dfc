// How many multiply-adds the products of a network take, and how many without entries that go.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_MULTIPLY_ADDS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_MULTIPLY_ADDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/pruning/removal.h"
#include "passes/compression/quantization/plan.h"

namespace tessera::compression {

// Of products with constant weights, at the sizes of the first sample; without samples, of one
// batch. A product takes as many as it has weights, at each position of what it reads or makes,
// whichever has fewer.
class MultiplyAdds {
 public:
  // Error: FailedPrecondition, sizes that nothing tells, named.
  static absl::StatusOr<MultiplyAdds> Create(const BuildContext& context,
                                             const std::vector<WeightSite>& products);

  double Without(const Removed& removed) const;
  double All() const { return Without({}); }

 private:
  struct Product {
    const ir::Value* weights = nullptr;
    double positions = 0;
  };
  std::vector<Product> products_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_MULTIPLY_ADDS_H_

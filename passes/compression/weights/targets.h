// The weights that can be stored in fewer bits: of products, and tables that are looked up.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_TARGETS_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/scopes/scope_filter.h"

namespace tessera::compression {

struct WeightTarget {
  const ir::Operation* op = nullptr;
  Point point;
  std::vector<Point> others;  // where operations read the same constant in the same way
  int64_t axis = 0;           // of the constant: the channels of a product, the rows of a table
  int operand = 0;            // of `op`, that the constant becomes
  // A product of the last axis of what it reads with a matrix, and nothing else.
  bool matrix = false;
  bool table = false;  // rows of it are looked up
  bool last = false;   // a product behind which there is no other
};

struct LeftAsIs {
  std::string scope, reason;
};

struct WeightTargets {
  std::vector<WeightTarget> targets;  // in order of computation; one per constant
  std::vector<LeftAsIs> left;
  std::string out_of_reach;  // how many of those are, for a summary (OutOfReach)
};

// Errors: a weight that is not finite, named.
absl::StatusOr<WeightTargets> FindWeights(const BuildContext& context, const ScopeFilter& filter);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_TARGETS_H_

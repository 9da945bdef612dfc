// What would be quantized where: the points, before any range is known.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAN_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/compression/builder.h"
#include "passes/compression/scopes/scope_filter.h"

namespace tessera::compression {

// A value that is rounded to a grid: by each of its readers that are points, or for all of them
// where it is made.
struct ActivationSite {
  const ir::Value* value = nullptr;
  std::vector<Point> points;  // pre hooks, or one post hook
  int range = 0;              // sites of one range have one grid
};

// A constant that is stored as codes.
struct WeightSite {
  const ir::Operation* op = nullptr;  // the product, or what else reads it
  Point point;
  int64_t axis = -1;  // of the constant: the product's channels; -1: they are not one of its axes
  bool like_activations = false;  // on a grid of the activations' type
};

// Where a constant per channel is added to a product, or could be.
struct BiasSite {
  const ir::Operation* product = nullptr;
  const ir::Operation* op = nullptr;  // that adds it: the product, or an addition behind it
  Point point;                        // of the constant; a pre hook where there is none yet
  const ir::Tensor* present = nullptr;
  int64_t result_axis = 0;  // of the channels, in the result of `op`
};

struct Skipped {
  const ir::Operation* op = nullptr;
  std::string scope, reason;
  std::string out_of_reach = "";  // `in f16`: what no configuration changes; empty: another reason
};

// ` (2 in f16, 3 in functions or subgraphs)`: how many are out of reach; empty: none is.
std::string OutOfReach(const std::vector<Skipped>& skipped);

struct Plan {
  std::vector<ActivationSite> activations;
  std::vector<WeightSite> weights;
  std::vector<BiasSite> biases;
  // Additions of constants behind products that are quantized already.
  std::set<const ir::Operation*> done_biases;
  std::vector<Skipped> skipped;
  std::vector<const ir::Operation*> products;  // those with a site
  int ranges = 0;
};

struct PlanOptions {
  bool activations = true, weights = true;
  // What is quantized: the operands of products; those of additions, poolings and the like too; or
  // results as well, so that a target may compute on integers from input to output. Then values
  // that an operation only moves, selects from or joins have one grid.
  enum class Extent : uint8_t { kProducts, kAll, kNetwork } extent = Extent::kProducts;
  bool outputs = false;  // of kNetwork: the network's own results too
  bool fine = false;     // of kNetwork: activations have 16 bits
  bool dynamic = false;  // of kProducts: only what has a counterpart on integers (IntegerFormOf)
};

// What a node makes of codes.
bool IsDequantized(const BuildContext& context, const ir::Value& value);

Plan MakePlan(const BuildContext& context, const ScopeFilter& filter, const PlanOptions& options);

// The sites of `kNetwork`, for MakePlan: what joins operations that `may_change` allows. Products
// and their biases stand in `plan` already.
void PlanNetwork(const BuildContext& context, const std::set<const ir::Operation*>& may_change,
                 bool outputs, Plan& plan);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_PLAN_H_

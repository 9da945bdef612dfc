// Networks as lists of steps, from which graphs are built: unlike a graph, a recipe can lose a
// step.
#ifndef TESSERA_FUZZ_NETWORKS_RECIPE_H_
#define TESSERA_FUZZ_NETWORKS_RECIPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/attribute.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::fuzz {

struct RecipeSymbol {
  std::string name;
  int64_t least = 1, most = 64, stride = 1;  // a multiple of `stride`
};

struct RecipeDim {
  int symbol = -1;   // of the recipe; below 0: the size is known
  int64_t size = 1;  // then
};

struct RecipeInput {
  ir::DType dtype = ir::DType::kF32;
  std::vector<RecipeDim> dims;
};

// A value, a constant, or (neither) an optional operand that is absent.
struct RecipeOperand {
  int value = -1;
  std::optional<ir::Tensor> constant;
};

struct Step {
  const ir::OpInfo* info = nullptr;
  std::vector<RecipeOperand> operands;
  std::vector<ir::Attribute> attrs;  // complete; dims are numbers
  int results = 1;
};

// Values are numbered: the inputs, then the results of each step.
struct Recipe {
  std::vector<RecipeSymbol> symbols;
  std::vector<RecipeInput> inputs;
  std::vector<Step> steps;
  std::vector<int> outputs;

  int FirstResult(size_t step) const;
};

// Declares symbols and inputs in an empty graph. `values`: the inputs.
absl::Status AddInputs(const Recipe& recipe, ir::Graph& graph, std::vector<ir::Value*>& values);

// Adds one step behind the others, and its results to `values`. Error: it is not legal for all
// sizes, as far as the expressions alone decide; the graph then has what is of no further use.
absl::Status AddStep(const Step& step, ir::Graph& graph, std::vector<ir::Value*>& values);

// What the operations of a step are called in messages; of no other step.
std::string LabelOf(const Recipe& recipe, size_t step);

// The whole. `values`: by number.
absl::Status Build(const Recipe& recipe, ir::Graph& graph, std::vector<ir::Value*>& values);

// Without these steps and all that needs them; inputs and symbols that nothing uses go too. What
// nothing uses of the remaining steps becomes an output.
Recipe Without(const Recipe& recipe, const std::set<size_t>& steps);

// The numbers of results that no step uses.
std::vector<int> UnusedResults(const Recipe& recipe);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_NETWORKS_RECIPE_H_

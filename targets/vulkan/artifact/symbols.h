// How the sizes of inputs give the symbols of a graph, and what must hold of these.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_SYMBOLS_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tessera::vulkan {

// The size of an axis of an input is scale * symbol + offset.
struct BoundSymbol {
  std::string name;
  uint32_t input = 0, axis = 0;
  int64_t scale = 1, offset = 0;
  solver::Range range;
  solver::Congruence congruence;
  std::string origin;
};
// Those that the sizes of inputs give, each from the axis that says it most simply.
std::vector<BoundSymbol> SymbolsOf(const ir::Graph& graph);

struct GuardText {
  solver::Expr proposition;
  std::string message;
};
// Declared facts of several symbols, and what the graph's operations require and is not
// proved.
std::vector<GuardText> GuardsOf(const ir::Graph& graph);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_SYMBOLS_H_

// The assignment that costs least, where costs are sums of tables over a few variables each.
#ifndef TESSERA_TARGETS_VULKAN_SELECTION_CHEAPEST_H_
#define TESSERA_TARGETS_VULKAN_SELECTION_CHEAPEST_H_

#include <cstddef>
#include <vector>

namespace tessera::vulkan {

// What every choice for `variables` costs, that of the last one running fastest.
struct CostTable {
  std::vector<size_t> variables;
  std::vector<double> costs;
};

// The value of each variable, of which it has as many as `choices` says, in an assignment whose
// tables sum to the least; of equal ones the least value for the variable that is decided first.
// Exact, by elimination of variables, the one with the fewest neighbours first (Bertele and
// Brioschi, Nonserial Dynamic Programming, 1972): the greatest table that is made has an entry for
// each choice of a variable and its neighbours at that time. Of a network with skip connections
// within one another, however many, these are two. Where a table would have more than
// `most_entries` the variable stays at 0 instead, and the rest is exact.
std::vector<size_t> Cheapest(const std::vector<size_t>& choices, std::vector<CostTable> tables,
                             size_t most_entries = size_t{1} << 16);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SELECTION_CHEAPEST_H_

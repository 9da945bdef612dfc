#include "tools/verification/legal_inputs.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/verification/sizes.h"

namespace tessera::verification {
namespace {

bool HasIntegers(const std::vector<ir::Tensor>& inputs) {
  for (const ir::Tensor& input : inputs) {
    if (ir::IsInteger(input.dtype())) return true;
  }
  return false;
}

// Integers between `least` and `most` in place of others.
std::vector<ir::Tensor> Within(const std::vector<ir::Tensor>& inputs, int64_t least, int64_t most) {
  std::vector<ir::Tensor> within;
  for (const ir::Tensor& input : inputs) {
    if (!ir::IsInteger(input.dtype())) {
      within.push_back(input);
      continue;
    }
    std::vector<int64_t> values;
    for (int64_t i = 0; i < input.size(); ++i)
      values.push_back(least + std::abs(input.AsInt(i)) % (most - least + 1));
    within.push_back(ir::Tensor::Of<int64_t>(input.dtype(), input.shape(), values));
  }
  return within;
}

}  // namespace

absl::StatusOr<LegalInputs> MakeLegalInputs(const ir::Graph& graph,
                                            const reference::Executor& executor,
                                            const solver::Assignment& sizes, uint64_t seed) {
  absl::StatusOr<std::vector<ir::Tensor>> random = RandomInputs(graph, sizes, seed);
  if (!random.ok()) return random.status();
  if (!HasIntegers(*random)) return LegalInputs{*std::move(random), ""};
  const absl::Status first = executor.Run(*random).status();
  if (first.ok()) return LegalInputs{*std::move(random), ""};
  constexpr std::pair<int64_t, int64_t> kRanges[] = {{0, 15}, {0, 7}, {0, 3},
                                                     {0, 1},  {0, 0}, {1, 1}};
  for (const auto& [least, most] : kRanges) {
    std::vector<ir::Tensor> within = Within(*random, least, most);
    if (!executor.Run(within).ok()) continue;
    return LegalInputs{
        std::move(within),
        absl::StrCat("integers of ", least, " to ", most, ": the network refuses others (",
                     first.message().substr(0, first.message().find('\n')), ")")};
  }
  return first;
}

}  // namespace tessera::verification

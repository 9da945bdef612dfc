// Which integers the weights of a product become, judged by its results: of all that lie near,
// those whose errors cancel on what the product is fed.
//
// Let x be the numbers that one channel's weights w meet, y its exact result, H = E[x x'] and
// c = E[y x]. First w moves to where it makes up for what the quantized network feeds it: w + (c -
// w H) (H + l)^-1, with the ridge l, if any, that does best on samples that it was not made from.
// Then it is rounded one entry after the other, each rounding error being passed on to the entries
// that are still free, by H's Cholesky factor (GPTQ: Frantar et al. 2022; Babai's nearest plane).
// Means are left out where a bias makes up for them. Weights that are to stay 0 neither move nor
// take up anything.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_PROBLEM_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_PROBLEM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "passes/compression/quantization/weight_scales.h"

namespace tessera::compression {

class WeightProblem {
 public:
  // More weights per channel take too long: half a minute and a gigabyte.
  static constexpr int64_t kMost = 5000;

  // Channels that are fed the same, of `weights` each. `centered`: a bias follows.
  WeightProblem(int64_t weights, int64_t channels, bool centered);
  ~WeightProblem();
  WeightProblem(WeightProblem&&) noexcept;

  // Row-major: `x` of [rows, weights], `y` of [rows, channels]; of a sample to learn from, or to
  // judge ridges by.
  void Add(const std::vector<float>& x, const std::vector<float>& y, int64_t rows, bool judge);

  struct Solution {
    std::vector<float> scales;          // by channel
    std::vector<int32_t> zeros, codes;  // codes: [channels, weights]
  };
  // `w` is [channels, weights]. With `scales` (and `zeros`) those are taken, else chosen by
  // channel.
  Solution Solve(const std::vector<float>& w, const WeightScheme& scheme,
                 const Grid* given = nullptr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_WEIGHT_PROBLEM_H_

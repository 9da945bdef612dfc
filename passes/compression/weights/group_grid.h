// The grid of one group of weights: a scale and, unless symmetric, a zero point.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUP_GRID_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUP_GRID_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::compression {

struct GroupedScheme {
  int bits = 4;            // 2, 4 or 8
  bool symmetric = false;  // codes -2^(bits-1) .. with zero point 0; else 0 .. with a zero point
  int64_t group = 32;      // inputs that share a scale; the last group may have fewer
  int turns = 6;           // at most; 0: the nearest codes alone
  // What codes stand for, rising, with 0 among them, in place of integers; no zero points. Must
  // outlive this; null: integers.
  const std::vector<double>* levels = nullptr;
  bool binary_scales = false;  // powers of two, above 0 (of `levels`)
  bool zeros_stay = false;     // what is 0 is not made anything else for the sake of results
};

struct CodeRange {
  int low, high;
  const std::vector<double>* levels = nullptr;
  static CodeRange Of(const GroupedScheme& scheme) {
    const int half = 1 << (scheme.bits - 1);
    if (scheme.levels != nullptr)
      return {0, static_cast<int>(scheme.levels->size()) - 1, scheme.levels};
    return scheme.symmetric ? CodeRange{-half, half - 1} : CodeRange{0, 2 * half - 1};
  }
  // Whose level is nearest to `steps`; of integers ties to even, saturated.
  int Nearest(double steps, int zero_point) const;
  // In steps of the scale.
  double LevelOf(int code, int zero_point) const {
    return levels == nullptr ? code - zero_point : (*levels)[static_cast<size_t>(code)];
  }
};

// Not zero, nor so small that codes would be lost. Negative ones are scales too.
bool IsScale(float scale);

struct GroupGrid {
  float scale = 1;
  int zero_point = 0;
};

// Of grids that hold the range of the `n` weights in every number of steps about that of the codes
// (so that weights which lie on a grid of their own are met exactly, and the largest may be cut
// off), the one with the least squared error. `importance`: how much the error of each counts;
// null: the same. Zero is always a code.
GroupGrid ChooseGroupGrid(const double* w, const double* importance, int64_t n,
                          const GroupedScheme& scheme);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_GROUP_GRID_H_

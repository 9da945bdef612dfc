// A window's positions row by row: what a kernel offset reads of the input along the last axis is a
// range, with a stride.
#ifndef TESSERA_KERNELS_TAPS_H_
#define TESSERA_KERNELS_TAPS_H_

#include <cstdint>
#include <vector>

#include "kernels/window.h"

namespace tessera::kernels {

// A kernel offset: where along the last axis outputs read inside, and what the first of them reads.
struct Tap {
  std::vector<int64_t> k;
  Range inside;
  int64_t first;
};

// All of a window of rank 1 or more, in row-major order.
std::vector<Tap> TapsOf(const Window& window);

// The row of the input that the output row with the coordinates `outer` (all axes but the last)
// reads at kernel offset k; -1 if it falls into padding.
int64_t OuterSource(const Window& window, const std::vector<int64_t>& outer,
                    const std::vector<int64_t>& k);

// For each row of the output, for each tap that reads inside in it, in this order:
// visit(tap's number, first output position, first input position, count). The positions that
// follow are 1 apart in the output, the last axis's stride apart in the input.
template <class F>
void ForEachRow(const Window& window, const std::vector<Tap>& taps, F visit) {
  const size_t last = window.rank() - 1;
  const int64_t width = window.output[last];
  const std::vector<int64_t> outer_dims(window.output.begin(), window.output.end() - 1);
  const int64_t rows = width == 0 ? 0 : window.output_size() / width;
  std::vector<int64_t> outer;
  for (int64_t row = 0; row < rows; ++row) {
    Unravel(row, outer_dims, outer);
    for (size_t t = 0; t < taps.size(); ++t) {
      const Tap& tap = taps[t];
      const int64_t count = tap.inside.end - tap.inside.begin;
      const int64_t source = OuterSource(window, outer, tap.k);
      if (source < 0 || count == 0) continue;
      visit(t, row * width + tap.inside.begin, source * window.input[last] + tap.first, count);
    }
  }
}

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_TAPS_H_

#include "kernels/taps.h"

namespace tessera::kernels {

int64_t OuterSource(const Window& window, const std::vector<int64_t>& outer,
                    const std::vector<int64_t>& k) {
  int64_t offset = 0;
  for (size_t d = 0; d < outer.size(); ++d) {
    const int64_t i = window.Source(d, outer[d], k[d]);
    if (i < 0 || i >= window.input[d]) return -1;
    offset = offset * window.input[d] + i;
  }
  return offset;
}

std::vector<Tap> TapsOf(const Window& window) {
  const size_t last = window.rank() - 1;
  std::vector<Tap> taps(static_cast<size_t>(window.kernel_size()));
  for (size_t offset = 0; offset < taps.size(); ++offset) {
    Tap& tap = taps[offset];
    Unravel(static_cast<int64_t>(offset), window.kernel, tap.k);
    tap.inside = InsideOutputs(window, last, tap.k[last]);
    tap.first = window.Source(last, tap.inside.begin, tap.k[last]);
  }
  return taps;
}

}  // namespace tessera::kernels

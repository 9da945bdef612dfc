// The greatest number for which something still holds.
#ifndef TESSERA_TARGETS_NPU_PWL_LONGEST_H_
#define TESSERA_TARGETS_NPU_PWL_LONGEST_H_

#include <algorithm>
#include <cstddef>

namespace tessera::npu {

// The greatest n from 1 to `most` (at least 1) with `fits(n)`, where what fits also fits for all
// smaller numbers; 1 is not asked. Asks for numbers of about twice the answer at most.
template <class Fits>
size_t Longest(size_t most, Fits fits) {
  size_t good = 1, step = 1, bad = most + 1;
  while (good < most) {
    const size_t next = std::min(good + step, most);
    if (!fits(next)) {
      bad = next;
      break;
    }
    good = next;
    step *= 2;
  }
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_LONGEST_H_

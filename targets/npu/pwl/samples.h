// A function between sums and outputs of the device, in their integer units, and where it must be
// looked at.
#ifndef TESSERA_TARGETS_NPU_PWL_SAMPLES_H_
#define TESSERA_TARGETS_NPU_PWL_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "targets/npu/pwl/function.h"

namespace tessera::npu {

// Numbers are multiples of a unit: `in` of them are 1.0 of a sum, `out` of them 1.0 of an output.
struct ScaledFunction {
  const Function* function = nullptr;
  double in = 1, out = 1;
  int64_t lowest = -32768, highest = 32767;  // what the output's type holds

  // As far as two units beyond what the output's type holds, so that a line is one up to the end of
  // the type; where the function is no number, the lowest.
  double operator()(int64_t sum) const;
};

struct Sample {
  int64_t x = 0;
  double y = 0;
};

// At multiples of 4 from `least` (rounded down) to `most` (rounded up) and at least 1,000 of them
// where there are as many; closer where the function bends, so that halfway between two neighbours
// it is less than `tolerance` from the line through both, or they are 4 apart. At most 2^16.
std::vector<Sample> SamplesOf(const ScaledFunction& function, int64_t least, int64_t most,
                              double tolerance);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_SAMPLES_H_

// Applying a fused activation to a result in place.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_ACTIVATION_H_
#define TESSERA_TARGETS_CIRCLE_OPS_ACTIVATION_H_

#include <algorithm>
#include <cstdint>

namespace tessera::ops {

// `kind` is the schema's ordinal: NONE, RELU, RELU_N1_TO_1, RELU6.
inline void Activate(int64_t kind, int64_t count, float* y) {
  if (kind == 0) return;
  const float low = kind == 2 ? -1.0f : 0.0f;
  if (kind == 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = y[i] < low ? low : y[i];
    return;
  }
  const float high = kind == 3 ? 6.0f : 1.0f;
  for (int64_t i = 0; i < count; ++i) y[i] = y[i] < low ? low : y[i] > high ? high : y[i];
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_ACTIVATION_H_

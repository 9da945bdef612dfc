// How large tensors of an artifact may be.
#ifndef TESSERA_TARGETS_CIRCLE_SIZE_LIMIT_H_
#define TESSERA_TARGETS_CIRCLE_SIZE_LIMIT_H_

#include <cstdint>

namespace tessera::circle {

// No axes of a tensor have more entries together in an artifact whose sizes are not known: 1 GiB of
// f32. Runtimes compute sizes in i32, which has room for some multiples of that.
inline constexpr int64_t kMostElements = int64_t{1} << 28;

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_SIZE_LIMIT_H_

// Loops within the functions of a body, which some drivers count with all others.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_ROUNDS_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_ROUNDS_H_

#include <cstdint>

#include "nests/scalar.h"

namespace tessera::vulkan {

// How often, at most, what computes a function of numbers goes round a loop (as the text in
// kernels/functions.cc does); 0: it has none.
int64_t RoundsOf(nests::Function function, nests::Number number);

// The same of all calls in a scalar, each once.
int64_t RoundsOfCalls(const nests::Scalar& scalar);

// A sum that may have more terms in a loop than the first is taken by parts of about the second,
// which is a round each besides: rounding then grows with the terms of a part.
inline constexpr int64_t kMostTermsAtOnce = 4096, kTermsOfPart = 1024;

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_ROUNDS_H_

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

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_ROUNDS_H_

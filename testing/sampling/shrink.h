// Smaller instances with the same fault.
#ifndef TESSERA_TESTING_SAMPLING_SHRINK_H_
#define TESSERA_TESTING_SAMPLING_SHRINK_H_

#include <functional>

#include "testing/sampling/instance.h"

namespace tessera::testing {

// Legal, and with the fault.
using Fails = std::function<bool(const Instance&)>;

// Of `instance`, which fails, one that still fails and is no simpler by any single step: a smaller
// size, an absent operand, an attribute nearer to 0, an element 0 or 1. The number of steps is
// bounded.
Instance Shrink(const Subject& subject, Instance instance, const Fails& fails);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_SHRINK_H_

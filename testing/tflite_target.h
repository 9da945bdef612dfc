// A TFLite runtime that we did not write as a target: what `//tools:verify` does, with it in the
// place of our own executor.
#ifndef TESSERA_TESTING_TFLITE_TARGET_H_
#define TESSERA_TESTING_TFLITE_TARGET_H_

#include "tools/verification/target.h"

namespace tessera::testing {

// Its artifact is a Circle file under TFLite's identifier; executed in a process of its own, in
// Bazel's tests only. Tolerance: 1e-5 as for our executor, which sums in another order too.
const verification::Target& TfliteTarget();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_TFLITE_TARGET_H_

// Targets that measure values before they compile, with samples that nobody has to bring.
#ifndef TESSERA_FUZZ_NETWORKS_CALIBRATED_H_
#define TESSERA_FUZZ_NETWORKS_CALIBRATED_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "targets/target.h"
#include "tools/verification/target.h"

namespace tessera::fuzz {

// How many samples a network is judged with, and calibrated.
inline constexpr int kSamples = 3;

// One for a network of this seed. If the target has a folder of samples among its flags and `flags`
// name none, each compilation gets one with the inputs that Judge runs the artifact with. Error: a
// value that a flag does not take.
absl::StatusOr<std::unique_ptr<const verification::Target>> MakeCalibrated(
    const targets::Target& target, const targets::FlagValues& flags, uint64_t seed);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_NETWORKS_CALIBRATED_H_

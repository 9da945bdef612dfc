// Artifacts as bytes.
#ifndef TESSERA_TARGETS_NPU_ARTIFACT_FILE_H_
#define TESSERA_TARGETS_NPU_ARTIFACT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {

// The version that is written, and the only one that is read.
inline constexpr uint32_t kArtifactVersion = 1;

// The bytes are a function of the bundle alone.
std::string WriteArtifact(const Bundle& bundle);

// Safe on any bytes, which start at a multiple of 16. Errors (InvalidArgument): no artifact, of
// another version, damaged (the digest says so), or what CheckBundle finds.
absl::StatusOr<Bundle> ReadArtifact(absl::Span<const uint8_t> bytes);

// Whether a file that begins so may be an artifact.
bool IsArtifact(std::string_view first_bytes);

// Every program is one that its device runs (CheckProgram: names the limit), and every value that a
// stage reads is an input, a state or a result of an earlier stage.
absl::Status CheckBundle(const Bundle& bundle);

// Writes the digest that the bytes have into them, if they are such that they can have one; for
// tests that damage the rest.
void Sign(std::string& artifact);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_ARTIFACT_FILE_H_

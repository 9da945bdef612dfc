// The digest of an artifact's bytes.
#ifndef TESSERA_TARGETS_NPU_ARTIFACT_DIGEST_H_
#define TESSERA_TARGETS_NPU_ARTIFACT_DIGEST_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "ir/digest.h"

namespace tessera::npu {

struct ArtifactDigest {
  ir::Digest stored, computed;
  size_t offset = 0;  // of the stored one in the bytes
};

// Of bytes that FlatBuffers' verifier takes; empty where they have none.
std::optional<ArtifactDigest> DigestIn(absl::Span<const uint8_t> bytes);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_ARTIFACT_DIGEST_H_

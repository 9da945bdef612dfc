#include "targets/npu/artifact/digest.h"

#include <cstring>

#include "targets/npu/artifact/file.h"
#include "targets/npu/artifact/npu_generated.h"

namespace tessera::npu {

std::optional<ArtifactDigest> DigestIn(absl::Span<const uint8_t> bytes) {
  const file::Digest* stored = file::GetArtifact(bytes.data())->digest();
  if (stored == nullptr) return std::nullopt;
  ArtifactDigest digest;
  digest.offset = static_cast<size_t>(reinterpret_cast<const uint8_t*>(stored) - bytes.data());
  digest.stored = {stored->high(), stored->low()};
  ir::Hasher hasher;
  hasher.AddBytes(bytes.subspan(0, digest.offset));
  hasher.AddBytes(bytes.subspan(digest.offset + sizeof(file::Digest)));
  digest.computed = hasher.digest();
  return digest;
}

void Sign(std::string& artifact) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(artifact.data());
  flatbuffers::Verifier verifier(bytes, artifact.size());
  if (!file::VerifyArtifactBuffer(verifier)) return;
  const std::optional<ArtifactDigest> digest = DigestIn({bytes, artifact.size()});
  if (!digest.has_value()) return;
  const file::Digest signature(digest->computed.high, digest->computed.low);
  std::memcpy(artifact.data() + digest->offset, &signature, sizeof(signature));
}

}  // namespace tessera::npu

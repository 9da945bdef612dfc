#include "support/sha256.h"

#include <cstddef>

#include "nettle/sha2.h"

namespace tessera::support {

std::string Sha256(std::string_view bytes) { return Sha256(absl::MakeConstSpan(&bytes, 1)); }

std::string Sha256(absl::Span<const uint8_t> bytes) {
  return Sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string Sha256(absl::Span<const std::string_view> pieces) {
  sha256_ctx state;
  sha256_init(&state);
  for (std::string_view piece : pieces)
    sha256_update(&state, piece.size(), reinterpret_cast<const uint8_t*>(piece.data()));
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&state, sizeof digest, digest);
  std::string text;
  for (uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace tessera::support

// SHA-256 (FIPS 180-4) of bytes, as `sha256sum` prints it.
#ifndef TESSERA_SUPPORT_SHA256_H_
#define TESSERA_SUPPORT_SHA256_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::support {

// 64 lowercase hexadecimal digits. The pieces count as one text.
std::string Sha256(std::string_view bytes);
std::string Sha256(absl::Span<const std::string_view> pieces);
std::string Sha256(absl::Span<const uint8_t> bytes);

struct FileSha256 {
  std::string digest;
  int64_t bytes = 0;
};
// Of a file's contents, read in pieces, so that it never is in memory as a whole. Errors as of
// ReadFile.
absl::StatusOr<FileSha256> Sha256OfFile(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_SHA256_H_

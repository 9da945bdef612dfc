#include "support/sha256.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nettle/sha2.h"

namespace tessera::support {
namespace {

std::string Finish(sha256_ctx& state) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&state, sizeof digest, digest);
  std::string text;
  for (uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

std::string Sha256(std::string_view bytes) { return Sha256(absl::MakeConstSpan(&bytes, 1)); }

std::string Sha256(absl::Span<const uint8_t> bytes) {
  return Sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string Sha256(absl::Span<const std::string_view> pieces) {
  sha256_ctx state;
  sha256_init(&state);
  for (std::string_view piece : pieces)
    sha256_update(&state, piece.size(), reinterpret_cast<const uint8_t*>(piece.data()));
  return Finish(state);
}

absl::StatusOr<FileSha256> Sha256OfFile(const std::string& path) {
  const auto fail = [&] {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read `", path, "`"));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return fail();
  sha256_ctx state;
  sha256_init(&state);
  FileSha256 result;
  std::vector<uint8_t> piece(size_t{1} << 18);
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
    sha256_update(&state, size, piece.data());
    result.bytes += static_cast<int64_t>(size);
  }
  if (std::ferror(file.get()) != 0) return fail();
  result.digest = Finish(state);
  return result;
}

}  // namespace tessera::support

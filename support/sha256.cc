#include "support/sha256.h"

#include <cstddef>
#include <memory>

#include "nettle/sha2.h"
#include "support/mapped_once.h"
#include "support/mapped_pages.h"

namespace tessera::support {

std::string Sha256(std::string_view bytes) {
  const ByteRun run(bytes);
  return Sha256(absl::MakeConstSpan(&run, 1));
}

std::string Sha256(absl::Span<const uint8_t> bytes) {
  return Sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string Sha256(absl::Span<const ByteRun> runs) {
  Sha256Stream stream;
  for (const ByteRun& run : runs) {
    run.ForEachPart([&](std::string_view part) {
      stream.Add(part);
      return true;
    });
    run.Forget();
  }
  return stream.Finish();
}

struct Sha256Stream::State {
  sha256_ctx context;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) { sha256_init(&state_->context); }

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Add(std::string_view bytes) {
  sha256_update(&state_->context, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

std::string Sha256Stream::Finish() {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&state_->context, sizeof digest, digest);
  std::string text;
  for (uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

absl::StatusOr<FileSha256> Sha256OfFile(const std::string& path) {
  const absl::StatusOr<MappedFile> file = MapOnce(path);
  if (!file.ok()) return file.status();
  const ByteRun all(file->bytes);
  Sha256Stream stream;
  constexpr size_t kAtOnce = size_t{4} << 20;
  for (size_t begin = 0; begin < all.size(); begin += kAtOnce) {
    const std::string_view part = all.bytes().substr(begin, kAtOnce);
    stream.Add(part);
    ForgetPages(part);
  }
  return FileSha256{stream.Finish(), static_cast<int64_t>(all.size())};
}

}  // namespace tessera::support

// SHA-256 (FIPS 180-4) of bytes, as `sha256sum` prints it.
#ifndef TESSERA_SUPPORT_SHA256_H_
#define TESSERA_SUPPORT_SHA256_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "support/byte_run.h"

namespace tessera::support {

// 64 lowercase hexadecimal digits. The runs count as one text.
std::string Sha256(std::string_view bytes);
std::string Sha256(absl::Span<const ByteRun> runs);
std::string Sha256(absl::Span<const uint8_t> bytes);

// Of bytes that come one after the other.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  void Add(std::string_view bytes);
  std::string Finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct FileSha256 {
  std::string digest;
  int64_t bytes = 0;
};
// Of a file's contents, which never are in memory as a whole. Errors as of MapFile (mapped_file.h).
absl::StatusOr<FileSha256> Sha256OfFile(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_SHA256_H_

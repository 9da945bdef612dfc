// Bytes in memory that lie as those of a mapped file do.
#ifndef TESSERA_SUPPORT_ALIGNED_COPY_H_
#define TESSERA_SUPPORT_ALIGNED_COPY_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/types/span.h"

namespace tessera::support {

// Formats align their constants within the file; the file has to be aligned itself, which a string
// is not.
struct AlignedCopy {
  explicit AlignedCopy(std::string_view original);

  std::shared_ptr<const void> owner;
  absl::Span<const uint8_t> bytes;  // aligned for every fundamental type, as long as `owner` lives
};

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_ALIGNED_COPY_H_

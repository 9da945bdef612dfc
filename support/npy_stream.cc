#include "support/npy_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/npy.h"

namespace tessera::support {
namespace {

// Up to `size` bytes in all; fewer at the end of what there is. What a header claims is not
// allocated before it comes.
void ReadUpTo(std::istream& in, size_t size, std::string& bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  while (bytes.size() < size && in.good()) {
    const size_t had = bytes.size();
    bytes.resize(had + std::min(kPiece, size - had));
    in.read(bytes.data() + had, static_cast<std::streamsize>(bytes.size() - had));
    bytes.resize(had + static_cast<size_t>(in.gcount()));
  }
}

}  // namespace

absl::StatusOr<std::optional<ir::Tensor>> ReadNpy(std::istream& in) {
  std::string bytes;
  ReadUpTo(in, kNpyStart, bytes);
  if (bytes.empty()) return std::optional<ir::Tensor>();
  absl::StatusOr<size_t> size = NpyHeaderSize(bytes);
  if (size.ok()) {
    ReadUpTo(in, *size, bytes);
    if (bytes.size() == *size) {
      size = NpySize(bytes);
      if (size.ok()) ReadUpTo(in, *size, bytes);
    }
  }
  if (!size.ok()) return size.status();
  if (bytes.size() < *size)
    return absl::InvalidArgumentError(
        absl::StrCat("a .npy array is cut off after ", bytes.size(), " of ", *size, " bytes"));
  absl::StatusOr<ir::Tensor> tensor = ParseNpy(bytes);
  if (!tensor.ok()) return tensor.status();
  return std::optional<ir::Tensor>(*std::move(tensor));
}

}  // namespace tessera::support

#include "targets/target.h"

namespace tessera::targets {

std::string Serialized::Join() const {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  for (std::string_view piece : pieces) bytes += piece;
  return bytes;
}

}  // namespace tessera::targets

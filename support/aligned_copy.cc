#include "support/aligned_copy.h"

#include <cstddef>
#include <cstring>

namespace tessera::support {

AlignedCopy::AlignedCopy(std::string_view original) {
  const size_t blocks = original.size() / sizeof(std::max_align_t) + 1;
  const std::shared_ptr<std::max_align_t[]> memory(new std::max_align_t[blocks]);
  std::memcpy(memory.get(), original.data(), original.size());
  bytes = {reinterpret_cast<const uint8_t*>(memory.get()), original.size()};
  owner = memory;
}

}  // namespace tessera::support

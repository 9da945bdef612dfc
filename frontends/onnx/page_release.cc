#include "frontends/onnx/page_release.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace tessera::onnx_import {

support::MappedFile WithPageRelease(support::MappedFile part) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.bytes.data());
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = (begin + part.bytes.size()) / page * page;
  if (first >= last) return part;
  const absl::Span<const uint8_t> bytes = part.bytes;
  std::shared_ptr<const void> owner(
      bytes.data(), [map = std::move(part.owner), first, last](const void*) {
        // A refusal costs memory, nothing else.
        (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
      });
  return {std::move(owner), bytes};
}

}  // namespace tessera::onnx_import

#include "support/mapped_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace tessera::support {
namespace {

// One for each map that there ever was: a signal handler may be reading any of them.
struct Mapping {
  uintptr_t begin = 0, end = 0;
  std::atomic<bool> mapped{true};
  Mapping* next = nullptr;
};
std::atomic<Mapping*> first_mapping{nullptr};

Mapping* Register(const void* start, size_t size) {
  auto* const mapping = new Mapping;
  mapping->begin = reinterpret_cast<uintptr_t>(start);
  mapping->end = mapping->begin + size;
  mapping->next = first_mapping;
  while (!first_mapping.compare_exchange_weak(mapping->next, mapping)) {
  }
  return mapping;
}

const Mapping* Find(uintptr_t at) {
  for (const Mapping* mapping = first_mapping; mapping != nullptr; mapping = mapping->next) {
    if (at >= mapping->begin && at < mapping->end && mapping->mapped) return mapping;
  }
  return nullptr;
}

uintptr_t PageSize() { return static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

std::shared_ptr<const void> OwnMapping(void* start, size_t size) {
  Mapping* const mapping = Register(start, size);
  return {static_cast<const void*>(start), [size, mapping](const void* bytes) {
            mapping->mapped = false;
            munmap(const_cast<void*>(bytes), size);
          }};
}

void ForgetPages(std::string_view bytes) noexcept {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t page = PageSize();
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = (begin + bytes.size()) / page * page;
  if (first >= last) return;
  const Mapping* const mapping = Find(begin);
  if (mapping == nullptr || begin + bytes.size() > mapping->end) return;
  // A refusal costs memory, nothing else.
  (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

bool ReplaceLostPages(const void* address) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (Find(at) == nullptr) return false;
  const uintptr_t page = PageSize();
  void* const lost = reinterpret_cast<void*>(at / page * page);
  return mmap(lost, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == lost;
}

}  // namespace tessera::support

#include "support/heap_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "support/sanitizers.h"

namespace tessera::support {
namespace {

#if defined(__GLIBC__)
constexpr bool kApplies = !kHeapOfSanitizer;
#else
constexpr bool kApplies = false;
#endif

constexpr int64_t kLargePage = int64_t{2} << 20;
// What is as large as this is mapped by itself and given back when it is freed. (glibc raises its
// own bound from 128 KiB on as such blocks are freed, unless one of these settings is made.)
constexpr int kMappedAlone = 4 << 20;
// By which the heap grows when those pages are used up.
constexpr int kStep = 1 << 20;

}  // namespace

void UseLargePages(int64_t bytes) {
  if (!kApplies || bytes < kLargePage) return;
  const int size = static_cast<int>(std::min<int64_t>(bytes, std::numeric_limits<int>::max()));
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // The next block that the heap has no room for brings so much more with it.
  mallopt(M_TOP_PAD, size);
  void* volatile block = malloc(kMappedAlone / 2);
  free(block);
  mallopt(M_TOP_PAD, kStep);
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  const auto begin =
      (end - static_cast<uintptr_t>(size) + kLargePage - 1) / kLargePage * kLargePage;
  // Where there are no such pages it is as it was.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace tessera::support

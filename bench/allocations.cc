#include "bench/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> counted{0}, counted_bytes{0};

// Null: there is no memory.
void* Counted(std::size_t size, std::size_t alignment) {
  counted.fetch_add(1, std::memory_order_relaxed);
  counted_bytes.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
  return alignment == 0
             ? std::malloc(size == 0 ? 1 : size)
             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* CountedOrThrow(std::size_t size, std::size_t alignment) {
  void* const memory = Counted(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All forms: a sanitizer's own would not come here, and what they give is not `free`'s.
void* operator new(std::size_t size) { return CountedOrThrow(size, 0); }
void* operator new[](std::size_t size) { return CountedOrThrow(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return CountedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return CountedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Counted(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tessera::bench {

Allocations AllocationsSoFar() { return {counted.load(), counted_bytes.load()}; }

}  // namespace tessera::bench

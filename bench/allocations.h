// What this process has asked of the heap. Linking this replaces `operator new`.
#ifndef TESSERA_BENCH_ALLOCATIONS_H_
#define TESSERA_BENCH_ALLOCATIONS_H_

#include <cstdint>

namespace tessera::bench {

struct Allocations {
  int64_t count = 0;
  int64_t bytes = 0;
};

// Since the process began, by all threads; what was given back is not taken off.
Allocations AllocationsSoFar();

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_ALLOCATIONS_H_

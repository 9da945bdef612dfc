// Where buffers lie in one region of memory: those that are live at the same time do not overlap,
// and the region is as small as could be found.
//
// Sizes, offsets and alignments are in one unit of the caller's (bytes, say); lifetimes are in
// steps of any kind, [begin, end).
#ifndef TESSERA_PLANNING_PACK_H_
#define TESSERA_PLANNING_PACK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tessera::planning {

struct Buffer {
  int64_t begin = 0, end = 0;  // begin < end, or the buffer is never live and lies at 0
  int64_t size = 0;            // from 0
  int64_t alignment = 1;       // of the offset, from 1
};

struct PackOptions {
  // How much to search, in placements tried: as much gives the same plan on any machine. About
  // 50,000 of them take a second where some hundreds of buffers are live for long.
  int64_t effort = 200'000;
  // Where it is enough to fit in: nothing smaller is looked for. Without: the lower bound.
  std::optional<int64_t> capacity;
};

struct Packing {
  std::vector<int64_t> offsets;  // by buffer
  int64_t size = 0;              // offset + size of the highest
  int64_t lower_bound = 0;       // what is live at one time at most, aligned
  // No plan is smaller: it meets the lower bound, or the search has shown that none does better.
  bool optimal = false;
  int64_t placements = 0;  // that were tried
};

// Sums of sizes must stay below 2^62.
Packing Pack(absl::Span<const Buffer> buffers, const PackOptions& options = {});

// The least memory that any plan needs: the largest sum of what is live together.
int64_t LowerBound(absl::Span<const Buffer> buffers);

// Whether two buffers are live together and share memory; for tests, and before a plan is used.
bool Overlap(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets);

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_PACK_H_

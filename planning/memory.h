// The memory of a program: regions, values that share memory, and where each value lies.
#ifndef TESSERA_PLANNING_MEMORY_H_
#define TESSERA_PLANNING_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "planning/pack.h"

namespace tessera::planning {

// A value is a part of another one: a slice that its producer writes in place, a view.
struct Alias {
  size_t owner = 0;    // index of a value, which may be a part itself
  int64_t offset = 0;  // of the part in the owner
};

struct Value {
  std::string name;            // for messages
  int64_t begin = 0, end = 0;  // steps at which it holds data, [begin, end)
  int64_t size = 0;
  int64_t alignment = 1;
  size_t region = 0;
  std::optional<Alias> alias;
  // The value that is made at step `begin` may take the place of this one, which is read at that
  // step for the last time. A wish: it is granted where both are of one region, this one is no
  // smaller and nothing else lies in it, and it holds nothing beyond that step.
  std::optional<size_t> in_place_of;
};

struct Region {
  std::string name;
  // False: values lie behind each other whatever their lifetimes (inputs, weights, states).
  bool reuse = true;
};

struct RegionPlan {
  int64_t size = 0, lower_bound = 0;
  bool optimal = false;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // by value, in its region
  std::vector<size_t> storage;   // by value: the one whose memory it lies in, itself perhaps
  std::vector<RegionPlan> regions;
};

// Errors: a value of a region that there is not, of negative size or with an alignment below 1; a
// part that reaches beyond its owner, in another region, or unaligned there; parts of each other
// in a circle.
absl::StatusOr<MemoryPlan> PlanMemory(absl::Span<const Value> values,
                                      absl::Span<const Region> regions,
                                      const PackOptions& options = {});

// What each step of a program reads and writes, by index of values.
struct Step {
  std::vector<size_t> reads, writes;
};

// When each of `count` values holds data: [begin, end) in steps, from the step that writes it first
// to behind the last one that reads it. What no step writes holds data from the beginning on,
// `results` hold it to the end.
struct Lifetime {
  int64_t begin = 0, end = 0;
};
std::vector<Lifetime> Lifetimes(absl::Span<const Step> steps, size_t count,
                                absl::Span<const size_t> results);

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_MEMORY_H_

// The search for a plan of a given capacity.
//
// A plan in which nothing can be moved down is found by placing buffers in the order of their
// offsets, each on top of what lies below it: so a state of the search is how high each section of
// time is filled. A section is a stretch of time in which no buffer begins or ends.
//
// A branch ends where some section cannot take what is still to be placed in it: its buffers can
// start no lower than their lowest free offsets, and stacked in the order of these they reach above
// the capacity. Where the buffers that are left fall apart into stretches of time that share none,
// each stretch is solved on its own.
//
// What is tried first decides between moments and days. Therefore a search is cut off and begun
// again in another order, in which buffers that made branches end come earlier.
#ifndef TESSERA_PLANNING_SEARCH_H_
#define TESSERA_PLANNING_SEARCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planning/pack.h"

namespace tessera::planning {

class Search {
 public:
  // Buffers that are live at some time, of some size.
  Search(std::vector<Buffer> buffers, int64_t capacity);

  enum Outcome : uint8_t { kFound, kNone, kCutOff };
  // Tries at most `placements`; `kNone` is a proof. Adds what it tried to `*spent`.
  Outcome Run(int64_t placements, int64_t* spent);
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  struct Span {  // a buffer's sections [first, last)
    int32_t first, last;
  };
  // What is left to place in a stretch of time.
  struct Part {
    std::vector<int32_t> buffers;
    std::vector<int64_t> filled;  // by section; of those within the stretch
    int32_t first, last;
    // The last buffer placed: what comes next lies no lower, and among equals later in the order.
    int64_t lowest = 0;
    int32_t rank = -1;
  };
  struct Choice {
    int64_t offset;
    int32_t rank, at;  // `at`: the position in the part's buffers
  };

  void Order(size_t round);
  Outcome Solve(Part part);
  Outcome SolveRest(const Part& part, size_t placed, int64_t offset);
  // Raises what is filled to where the next buffer can start; false: some section is too small.
  bool Tighten(Part& part, std::vector<int64_t>& free);
  int64_t LowestFree(const Part& part, int32_t buffer) const;
  void Blame(const Part& part, int32_t section);

  std::vector<Buffer> buffers_;
  const int64_t capacity_;
  std::vector<Span> spans_;
  int32_t sections_ = 0;
  std::vector<double> load_;   // by buffer, of the fullest section that it is live in
  std::vector<int32_t> rank_;  // by buffer
  // By buffer, how many branches it made end lately: of each family of searches, and which it is.
  std::vector<double> blame_[3];
  size_t family_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<int64_t> reached_;    // by section, scratch
  std::vector<int32_t> by_offset_;  // scratch
  int64_t left_ = 0;
};

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_SEARCH_H_

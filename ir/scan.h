// Recurrences as terms: a piece of graph applied position by position along the first axis of some
// values, with states from each position to the next.
#ifndef TESSERA_IR_SCAN_H_
#define TESSERA_IR_SCAN_H_

#include <functional>
#include <vector>

#include "ir/term_builder.h"

namespace tessera::ir {

// Positions that are unrolled at most.
inline constexpr int64_t kMostUnrolled = 256;

struct ScanTerm {
  using Values = std::vector<Value*>;
  Values scanned;   // read entry by entry; at least one, all as long as the first
  Values states;    // before the first position
  Values captured;  // read at every position; null: absent
  // The entry of `x` at a position, a scalar of i32; entries side by side along a new first axis.
  std::function<Value*(Value* x, Value* at)> entry;
  std::function<Value*(const Values& entries)> stack;
  // From entries, states and captured values in this order: the next states, then what is
  // collected.
  std::function<Values(const Values& values)> step;
};

// The last states, then what was collected. Unrolled where the length is a number of at most
// kMostUnrolled positions; one loop operation otherwise (ir/loops.h).
std::vector<Value*> Scan(TermBuilder& b, const ScanTerm& term);

}  // namespace tessera::ir

#endif  // TESSERA_IR_SCAN_H_

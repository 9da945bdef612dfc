// Loops of a graph. A loop is what lies between a `LoopBegin` and its `LoopEnd`: every operation
// that varies with the loop's position or states, and nothing else. What does not vary is computed
// once, before; so there is no list of operations to keep, and passes see one graph.
#ifndef TESSERA_IR_LOOPS_H_
#define TESSERA_IR_LOOPS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace tessera::ir {

// Those of `ir/loop_ops.cc`.
bool IsLoopBegin(const Operation& op);
bool IsLoopEntry(const Operation& op);
bool IsLoopEnd(const Operation& op);
bool IsLoopOp(const Operation& op);

// A number for another loop of the graph: loops are equal only to themselves.
int64_t NextLoop(const Graph& graph);

struct Loop {
  const Operation* begin = nullptr;
  const Operation* end = nullptr;
  int parent = -1;  // index of the loop around it; -1: none
  // What is computed at each position, in order. A loop therein stands as its end.
  std::vector<const Operation*> steps;

  Value* trips() const { return begin->operand(0); }
  Value* position() const { return begin->result(0); }
  // Whether the first position, and whether another one, is to be computed; null: they are.
  Value* first() const { return begin->operand(1); }
  Value* again() const { return end->operand(1); }
  size_t states() const { return begin->results().size() - 1; }
  Value* initial(size_t i) const { return begin->operand(2 + i); }
  Value* state(size_t i) const { return begin->result(1 + i); }
  Value* next(size_t i) const { return end->operand(2 + states() + i); }
  size_t collected_count() const { return end->results().size() - states(); }
  Value* collected(size_t k) const { return end->operand(2 + 2 * states() + k); }
};

struct LoopNest {
  std::vector<Loop> loops;
  std::vector<const Operation*> steps;                  // outside of all loops, likewise
  absl::flat_hash_map<const Operation*, int> home;      // the innermost loop; -1: none
  absl::flat_hash_map<const Operation*, int> ended_by;  // index of the loop that this ends

  // Whether the operation is computed at each position of the loop, also in a loop therein.
  bool IsInside(const Operation* op, int loop) const;
  // Constants and other values from outside that are read inside, each once, in order of reading.
  std::vector<Value*> CapturedBy(int loop) const;
};

// Error (Internal): a loop without end or with several, loops that overlap and do not contain one
// another, an output of the graph that varies with a position, entries or results of another length
// than the loop's.
absl::StatusOr<LoopNest> FindLoops(const Graph& graph);

}  // namespace tessera::ir

#endif  // TESSERA_IR_LOOPS_H_

// The operations of a graph as a linked list in topological order, with labels that tell in
// constant time which of two operations comes first.
#ifndef TESSERA_IR_OPERATION_LIST_H_
#define TESSERA_IR_OPERATION_LIST_H_

#include <cstddef>
#include <cstdint>

#include "ir/operation.h"

namespace tessera::ir {

class OperationList {
 public:
  Operation* first() const { return first_; }
  Operation* last() const { return last_; }
  size_t size() const { return size_; }
  static Operation* Next(const Operation& op) { return op.next_; }
  static Operation* Previous(const Operation& op) { return op.previous_; }
  // Increases along the list; changes as operations come.
  static uint64_t Label(const Operation& op) { return op.order_; }
  // Both are in the list.
  static bool Precedes(const Operation& a, const Operation& b) { return a.order_ < b.order_; }

  void InsertBefore(Operation& op, Operation* before);  // null: at the end
  void Remove(Operation& op);

 private:
  void SpreadAround(Operation& op);

  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_OPERATION_LIST_H_

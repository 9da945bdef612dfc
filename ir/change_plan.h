// What a change of links entails, worked out before anything is changed: which operations have to
// move for the list to stay in topological order, and what is inferred again downstream until
// nothing differs. A plan that fails leaves the graph as it was.
#ifndef TESSERA_IR_CHANGE_PLAN_H_
#define TESSERA_IR_CHANGE_PLAN_H_

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/inference.h"

namespace tessera::ir {

class ChangePlan {
 public:
  struct Redirection {
    Operation* op;
    size_t index;
    Value* value;  // null: absent
  };
  struct Update {
    Operation* op;
    Inferred inferred;
  };

  void Redirect(Operation* op, size_t index, Value* value);
  void Order(Operation* before, Operation* after);  // by a barrier

  // Error: a cycle; a constraint that no longer holds.
  absl::Status Make(solver::Context& context);

  const std::vector<Redirection>& redirections() const { return redirections_; }
  // In their new order, to go before `destination` (null: at the end).
  const std::vector<Operation*>& moved() const { return moved_; }
  Operation* destination() const { return destination_; }
  std::deque<Update>& updates() { return updates_; }

 private:
  using Place = std::pair<uint64_t, size_t>;

  Value* OperandOf(const Operation& op, size_t index) const;
  size_t OperandCount(const Operation& op) const;
  absl::Status Reorder();
  absl::Status SortMoved(const std::vector<Operation*>& closure);
  Place PlaceOf(Operation* op) const;
  OperandInfo<Expr> InfoAfter(const Value* value) const;
  void Enqueue(Operation* op) { queue_.emplace(PlaceOf(op), op); }
  absl::Status InferAgain(Operation* op, solver::Context& context);

  std::vector<Redirection> redirections_;
  std::vector<std::pair<Operation*, Operation*>> barriers_;
  absl::flat_hash_map<std::pair<const Operation*, size_t>, Value*> new_operands_;
  absl::flat_hash_map<const Operation*, size_t> operand_counts_;
  absl::flat_hash_map<const Value*, std::vector<size_t>> by_value_;  // into redirections_
  std::vector<Operation*> moved_;
  absl::flat_hash_map<const Operation*, size_t> place_of_moved_;
  Operation* destination_ = nullptr;
  std::map<Place, Operation*> queue_;
  std::deque<Update> updates_;
  absl::flat_hash_map<const Value*, std::pair<const Update*, size_t>> changed_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_CHANGE_PLAN_H_

#include "ir/change_plan.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/draft.h"

namespace tessera::ir {
namespace {

// Calls f with each operation that uses a result or the barrier of `op`.
template <class F>
void ForEachUser(const Operation& op, F f) {
  for (const Value* result : op.results()) {
    for (const Use& use : result->UsesUnsorted()) f(use.op);
  }
  if (op.barrier() != nullptr) {
    for (const Use& use : op.barrier()->UsesUnsorted()) f(use.op);
  }
}

std::string Named(const Operation& op) {
  const std::string where = op.location().ToString();
  return absl::StrCat("`", AbslView(op.info().dialect), ".", AbslView(op.info().name), "`",
                      where.empty() ? "" : absl::StrCat(" at `", where, "`"));
}

template <class T>
bool Same(const T* a, const T* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

bool SameInfo(const OperandInfo<Expr>& a, const OperandInfo<Expr>& b) {
  return a.present == b.present && a.dtype == b.dtype && a.dims == b.dims &&
         a.has_elements == b.has_elements && a.elements == b.elements &&
         Same(a.progression, b.progression);
}

}  // namespace

void ChangePlan::Redirect(Operation* op, size_t index, Value* value) {
  new_operands_[{op, index}] = value;
  size_t& count = operand_counts_[op];
  count = std::max({count, op->operands().size(), index + 1});
  if (value != nullptr) by_value_[value].push_back(redirections_.size());
  redirections_.push_back({op, index, value});
}

void ChangePlan::Order(Operation* before, Operation* after) {
  barriers_.emplace_back(before, after);
}

Value* ChangePlan::OperandOf(const Operation& op, size_t index) const {
  const auto it = new_operands_.find({&op, index});
  return it == new_operands_.end() ? op.operand(index) : it->second;
}

size_t ChangePlan::OperandCount(const Operation& op) const {
  const auto it = operand_counts_.find(&op);
  return it == operand_counts_.end() ? op.operands().size() : it->second;
}

absl::Status ChangePlan::Make(solver::Context& context) {
  absl::Status status = Reorder();
  if (!status.ok()) return status;
  for (const Redirection& r : redirections_) {
    if (!SameInfo(InfoOf(r.op->operand(r.index)), InfoOf(r.value))) Enqueue(r.op);
  }
  while (!queue_.empty()) {
    Operation* const op = queue_.begin()->second;
    queue_.erase(queue_.begin());
    status = InferAgain(op, context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// New links that run backwards in the list: what follows from their consumers, up to the last of
// their producers, moves behind that producer. (Pearce and Kelly, A Dynamic Topological Sort
// Algorithm for Directed Acyclic Graphs, for several links at once.)
absl::Status ChangePlan::Reorder() {
  std::vector<std::pair<Operation*, Operation*>> links = barriers_;
  for (const Redirection& r : redirections_) {
    if (r.value != nullptr && r.value->producer() != nullptr) {
      links.emplace_back(r.value->producer(), r.op);
    }
  }
  const auto backwards = [](const auto& link) {
    return !OperationList::Precedes(*link.first, *link.second);
  };
  Operation* last = nullptr;
  std::vector<Operation*> closure;
  absl::flat_hash_set<const Operation*> reached;
  for (const auto& link : links) {
    if (!backwards(link)) continue;
    if (last == nullptr || OperationList::Precedes(*last, *link.first)) last = link.first;
    if (reached.insert(link.second).second) closure.push_back(link.second);
  }
  if (last == nullptr) return absl::OkStatus();
  absl::flat_hash_map<const Operation*, std::vector<Operation*>> new_users;
  for (const auto& [producer, consumer] : links) new_users[producer].push_back(consumer);
  for (size_t i = 0; i < closure.size(); ++i) {
    const auto reach = [&](Operation* user) {
      if (OperationList::Precedes(*last, *user)) return;
      if (reached.insert(user).second) closure.push_back(user);
    };
    const Operation& op = *closure[i];
    ForEachUser(op, reach);
    const auto it = new_users.find(&op);
    if (it != new_users.end()) std::for_each(it->second.begin(), it->second.end(), reach);
  }
  destination_ = OperationList::Next(*last);
  return SortMoved(closure);
}

absl::Status ChangePlan::SortMoved(const std::vector<Operation*>& closure) {
  absl::flat_hash_map<Operation*, size_t> missing;  // links to come from within the closure
  absl::flat_hash_map<Operation*, std::vector<Operation*>> users;
  for (Operation* op : closure) missing.emplace(op, 0);
  const auto link = [&](Operation* producer, Operation* consumer) {
    if (producer == nullptr || !missing.contains(producer)) return;
    users[producer].push_back(consumer);
    ++missing[consumer];
  };
  for (Operation* op : closure) {
    for (size_t i = 0; i < OperandCount(*op); ++i) {
      const Value* operand = OperandOf(*op, i);
      if (operand != nullptr) link(operand->producer(), op);
    }
    for (const Value* barrier : op->barriers()) link(barrier->producer(), op);
  }
  for (const auto& [before, after] : barriers_) {
    if (missing.contains(after)) link(before, after);
  }
  // Otherwise in the order in which they were.
  const auto later = [](const Operation* a, const Operation* b) {
    return OperationList::Precedes(*b, *a);
  };
  std::vector<Operation*> ready;
  const auto push = [&](Operation* op) {
    ready.push_back(op);
    std::push_heap(ready.begin(), ready.end(), later);
  };
  for (Operation* op : closure) {
    if (missing[op] == 0) push(op);
  }
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Operation* const op = ready.back();
    ready.pop_back();
    place_of_moved_.emplace(op, moved_.size());
    moved_.push_back(op);
    for (Operation* user : users[op]) {
      if (--missing[user] == 0) push(user);
    }
  }
  if (moved_.size() != closure.size()) {
    const auto stuck = std::find_if(closure.begin(), closure.end(),
                                    [&](Operation* op) { return missing[op] > 0; });
    return absl::InvalidArgumentError(
        absl::StrCat("cycle through ", Named(**stuck), ": it would depend on its own results"));
  }
  return absl::OkStatus();
}

ChangePlan::Place ChangePlan::PlaceOf(Operation* op) const {
  const auto it = place_of_moved_.find(op);
  if (it == place_of_moved_.end()) return {OperationList::Label(*op), 0};
  // Behind all that stays before the destination.
  const uint64_t end =
      destination_ == nullptr ? ~uint64_t{0} : OperationList::Label(*destination_) - 1;
  return {end, it->second + 1};
}

OperandInfo<Expr> ChangePlan::InfoAfter(const Value* value) const {
  OperandInfo<Expr> info = InfoOf(value);
  const auto it = changed_.find(value);
  if (it == changed_.end()) return info;
  const auto& [update, index] = it->second;
  info.dtype = update->inferred.types[index].dtype;
  info.dims = update->inferred.types[index].dims;
  SetKnown(update->inferred.elements[index].get(), update->inferred.progressions[index].get(),
           info);
  return info;
}

absl::Status ChangePlan::InferAgain(Operation* op, solver::Context& context) {
  std::vector<OperandInfo<Expr>> operands;
  std::vector<std::string> names;
  for (size_t i = 0; i < OperandCount(*op); ++i) operands.push_back(InfoAfter(OperandOf(*op, i)));
  std::string failed;
  absl::StatusOr<Inferred> inferred = Infer(op->info(), operands, op->attrs(), context, &failed);
  if (inferred.ok() && inferred->types.size() != op->results().size()) {
    inferred = absl::InvalidArgumentError(absl::StrCat("the number of results changes from ",
                                                       op->results().size(), " to ",
                                                       inferred->types.size()));
  }
  if (!inferred.ok()) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Value* operand = OperandOf(*op, i);
      names.push_back(operand == nullptr ? "" : operand->name());
    }
    return Explain(inferred.status(), {op->info(), operands, names, op->attrs(), op->location()},
                   BlameFor(op->info(), failed));
  }
  const Update& update = updates_.emplace_back(Update{op, *std::move(inferred)});
  for (size_t i = 0; i < op->results().size(); ++i) {
    const Value* result = op->result(i);
    const Elements* elements = update.inferred.elements[i].get();
    if (update.inferred.types[i] == result->type() && Same(elements, result->elements()) &&
        Same<Progression>(update.inferred.progressions[i].get(), result->progression()))
      continue;
    changed_[result] = {&update, i};
    for (const Use& use : result->UsesUnsorted()) {
      if (OperandOf(*use.op, static_cast<size_t>(use.index)) == result) Enqueue(use.op);
    }
    const auto redirected = by_value_.find(result);
    if (redirected == by_value_.end()) continue;
    for (size_t r : redirected->second) Enqueue(redirections_[r].op);
  }
  return absl::OkStatus();
}

}  // namespace tessera::ir

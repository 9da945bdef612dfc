#include "ir/computed_alike.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ir/data_size.h"

namespace tessera::ir {
namespace {

// What is looked at, at most: operations one behind the other, operations in all, uses of a value,
// values that are computed alike.
constexpr int kDeepest = 32;
constexpr int kMostOperations = 128;
constexpr size_t kMostUses = 64, kMostAlike = 16;

bool IsPure(const Operation& op) {
  return !op.info().effect && op.barriers().empty() && op.barrier() == nullptr;
}

bool HasSameConstant(const Operation& a, const Operation& b) {
  if (a.payload() == nullptr || b.payload() == nullptr) return a.payload() == b.payload();
  const Tensor &x = *a.payload(), &y = *b.payload();
  if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
  return x.place() == y.place() || (!IsLarge(x) && Identical(x, y));
}

// But for their operands.
bool AreSame(const Operation& a, const Operation& b) {
  if (&a.info() != &b.info() || !IsPure(a) || !IsPure(b)) return false;
  if (a.operands().size() != b.operands().size() || a.results().size() != b.results().size())
    return false;
  // As texts: they tell 0 from -0.
  for (size_t i = 0; i < a.attrs().size(); ++i) {
    if (ToString(a.attr(i), a.info().attrs[i]) != ToString(b.attr(i), b.info().attrs[i]))
      return false;
  }
  return HasSameConstant(a, b);
}

bool ReadsNothing(const Value* value) {
  return value->producer() != nullptr && value->producer()->operands().empty();
}

class Search {
 public:
  struct Class {
    const Value* first;  // made before the others
    std::vector<const Value*> all;
  };
  const Class& ClassOf(const Value* value, int deepest);

 private:
  bool AreAlike(const Value* a, const Value* b, int deepest);

  // While the class of a value is looked for, it is the value alone.
  std::map<const Value*, Class> known_;
  int left_ = kMostOperations;
};

bool Search::AreAlike(const Value* a, const Value* b, int deepest) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  if (ReadsNothing(a) || ReadsNothing(b)) {
    return ReadsNothing(a) && ReadsNothing(b) && a->result_index() == b->result_index() &&
           AreSame(*a->producer(), *b->producer());
  }
  return ClassOf(a, deepest).first == ClassOf(b, deepest).first;
}

const Search::Class& Search::ClassOf(const Value* value, int deepest) {
  const auto [it, fresh] = known_.try_emplace(value, Class{value, {value}});
  const Operation* const op = value->producer();
  if (!fresh || deepest == 0 || left_ == 0 || op == nullptr || !IsPure(*op)) return it->second;
  --left_;
  const auto reads = [](const Value* operand) {
    return operand != nullptr && !ReadsNothing(operand);
  };
  const auto operands = op->operands();
  const auto at = std::find_if(operands.begin(), operands.end(), reads);
  if (at == operands.end()) return it->second;
  Class found = it->second;
  // Whatever is computed alike reads there what is alike.
  const std::vector<const Value*> places = ClassOf(*at, deepest - 1).all;
  for (const Value* place : places) {
    const auto uses = place->UsesUnsorted();
    for (const Use& use : uses.subspan(0, kMostUses)) {
      if (found.all.size() >= kMostAlike) break;
      if (use.op == op || use.index != at - operands.begin() || !AreSame(*use.op, *op)) continue;
      bool alike = true;
      for (size_t i = 0; alike && i < operands.size(); ++i)
        alike = AreAlike(use.op->operands()[i], operands[i], deepest - 1);
      if (!alike) continue;
      const Value* const other = use.op->results()[static_cast<size_t>(value->result_index())];
      found.all.push_back(other);
      if (other->id() < found.first->id()) found.first = other;
    }
  }
  it->second = std::move(found);
  return it->second;
}

}  // namespace

const Operation* CountedAlike(const Value* count) {
  Search search;
  const Operation* counted = nullptr;
  for (const Value* alike : search.ClassOf(count, kDeepest).all) {
    for (const Use& use : alike->UsesUnsorted()) {
      if (IsDataSize(*use.op) && (counted == nullptr || use.op->id() < counted->id()))
        counted = use.op;
    }
  }
  return counted;
}

}  // namespace tessera::ir

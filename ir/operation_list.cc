#include "ir/operation_list.h"

namespace tessera::ir {
namespace {

constexpr int kLabelBits = 62;
constexpr uint64_t kEnd = uint64_t{1} << kLabelBits;  // above all labels
constexpr uint64_t kStep = uint64_t{1} << 30;         // between operations added at the end

}  // namespace

void OperationList::InsertBefore(Operation& op, Operation* before) {
  Operation* const after = before == nullptr ? last_ : before->previous_;
  const auto low = [&] { return after == nullptr ? 0 : after->order_; };
  const auto high = [&] { return before == nullptr ? kEnd : before->order_; };
  if (high() - low() < 2) SpreadAround(after == nullptr ? *before : *after);
  op.order_ =
      before == nullptr && high() - low() > kStep ? low() + kStep : low() + (high() - low()) / 2;
  op.previous_ = after;
  op.next_ = before;
  (after == nullptr ? first_ : after->next_) = &op;
  (before == nullptr ? last_ : before->previous_) = &op;
  ++size_;
}

void OperationList::Remove(Operation& op) {
  (op.previous_ == nullptr ? first_ : op.previous_->next_) = op.next_;
  (op.next_ == nullptr ? last_ : op.next_->previous_) = op.previous_;
  op.previous_ = op.next_ = nullptr;
  --size_;
}

// Bender, Cole, Demaine, Farach-Colton, Zito: Two Simplified Algorithms for Maintaining Order in a
// List. The smallest aligned range of labels around `op` that is sparse enough is spread evenly. A
// range of 2^i labels is when it holds fewer than (4/3)^i, so that an insertion is of amortized
// logarithmic cost wherever it comes.
void OperationList::SpreadAround(Operation& op) {
  constexpr uint64_t kLeastGap = 4;
  Operation* low = &op;
  Operation* high = &op;
  uint64_t count = 1;
  double capacity = 1;
  for (int i = 1; i <= kLabelBits; ++i) {
    capacity *= 4.0 / 3.0;
    const uint64_t width = uint64_t{1} << i;
    const uint64_t begin = op.order_ & ~(width - 1);
    for (; low->previous_ != nullptr && low->previous_->order_ >= begin; ++count) {
      low = low->previous_;
    }
    for (; high->next_ != nullptr && high->next_->order_ - begin < width; ++count) {
      high = high->next_;
    }
    const uint64_t gap = width / (count + 1);
    const bool sparse = gap >= kLeastGap && static_cast<double>(count) < capacity;
    if (!sparse && i < kLabelBits) continue;
    uint64_t label = begin;
    for (Operation* at = low;; at = at->next_) {
      at->order_ = label += gap;
      if (at == high) return;
    }
  }
}

}  // namespace tessera::ir

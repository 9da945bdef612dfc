// A growing array of Slots, the first few in place: what polynomials are built in. Internal to this
// package.
#ifndef TESSERA_SOLVER_SLOTS_H_
#define TESSERA_SOLVER_SLOTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace tessera::solver::internal {

struct Node;

// A summand (monomial, coefficient), a factor (node, 0) or a child (the two members of an Expr).
struct Slot {
  const Node* node;
  int64_t value;
  friend bool operator==(const Slot&, const Slot&) = default;
};

class Slots {
 public:
  Slots() = default;
  Slots(std::initializer_list<Slot> slots) { append(slots.begin(), slots.end()); }
  explicit Slots(absl::Span<const Slot> slots) { append(slots.begin(), slots.end()); }
  Slots(const Slots& other) { append(other.begin(), other.end()); }
  Slots(Slots&& other) noexcept { Take(other); }
  Slots& operator=(const Slots& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  Slots& operator=(Slots&& other) noexcept {
    if (this != &other) Take(other);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Slot* begin() { return data(); }
  Slot* end() { return data() + size_; }
  const Slot* begin() const { return data(); }
  const Slot* end() const { return data() + size_; }
  Slot& operator[](size_t i) { return data()[i]; }
  const Slot& operator[](size_t i) const { return data()[i]; }
  const Slot& back() const { return data()[size_ - 1]; }
  operator absl::Span<const Slot>() const { return {data(), size_}; }  // NOLINT: it is one

  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    const size_t capacity = std::max(n, 2 * capacity_);
    auto heap = std::make_unique_for_overwrite<Slot[]>(capacity);
    std::copy(begin(), end(), heap.get());
    heap_ = std::move(heap);
    capacity_ = capacity;
  }
  void push_back(Slot slot) {
    reserve(size_ + 1);
    data()[size_++] = slot;
  }
  void append(const Slot* first, const Slot* last) {
    reserve(size_ + static_cast<size_t>(last - first));
    std::copy(first, last, end());
    size_ += static_cast<size_t>(last - first);
  }
  void insert(Slot* at, Slot slot) {
    const size_t i = static_cast<size_t>(at - begin());
    push_back(slot);
    std::rotate(begin() + i, end() - 1, end());
  }
  void erase(Slot* at) {
    std::copy(at + 1, end(), at);
    --size_;
  }
  // To fewer.
  void truncate(size_t n) { size_ = n; }

 private:
  static constexpr size_t kInPlace = 6;

  Slot* data() { return heap_ == nullptr ? in_place_ : heap_.get(); }
  const Slot* data() const { return heap_ == nullptr ? in_place_ : heap_.get(); }
  void Take(Slots& other) {
    heap_ = std::move(other.heap_);
    capacity_ = std::exchange(other.capacity_, kInPlace);
    size_ = std::exchange(other.size_, 0);
    if (heap_ == nullptr) std::copy(other.in_place_, other.in_place_ + size_, in_place_);
  }

  size_t size_ = 0;
  size_t capacity_ = kInPlace;
  std::unique_ptr<Slot[]> heap_;
  Slot in_place_[kInPlace];
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_SLOTS_H_

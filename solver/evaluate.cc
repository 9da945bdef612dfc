#include "solver/evaluate.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "solver/poly.h"

namespace tessera::solver {
namespace internal {

ValueError Evaluator::Of(const Slot& slot, int64_t* value) {
  const Node* node = slot.node;
  if (node == nullptr) {
    *value = slot.value;
    return ValueError::kNone;
  }
  if (node->kind == Kind::kInvalid) return ValueError::kInvalid;
  if (node->value_stamp != stamp_) {
    int64_t result = 0;
    const ValueError error = Compute(node, &result);
    node->value = result;
    node->value_error = static_cast<uint8_t>(error);
    node->value_stamp = stamp_;
  }
  *value = node->value;
  return static_cast<ValueError>(node->value_error);
}

ValueError Evaluator::Symbol(size_t index, int64_t* value) {
  if (index < bound_.size() && bound_[index]) {
    *value = values_[index];
    return ValueError::kNone;
  }
  const SymbolEntry& entry = store_.symbols[index];
  if (entry.info.value) return Of(*entry.info.value, value);
  if (entry.info.range.lo == entry.info.range.hi) {
    *value = entry.info.range.lo;
    return ValueError::kNone;
  }
  culprit_ = index;
  return ValueError::kUnbound;
}

ValueError Evaluator::Compute(const Node* node, int64_t* value) {
  const absl::Span<const Slot> slots = node->slots();
  store_.work += 1 + slots.size();
  int64_t v = 0;
  const auto one = [&](const Slot& slot) { return Of(slot, &v); };
  switch (node->kind) {
    case Kind::kInvalid:
      return ValueError::kInvalid;
    case Kind::kSymbol:
      return Symbol(static_cast<size_t>(node->constant), value);
    case Kind::kQuotient: {
      const size_t index = static_cast<size_t>(node->constant);
      if (const ValueError e = Symbol(index, &v); e != ValueError::kNone) return e;
      const int64_t stride = slots[0].value;
      const int64_t residue = slots[1].value;
      if (FloorRemainder(v, stride) != residue) {
        culprit_ = index;
        return ValueError::kExcluded;
      }
      *value = FloorQuotient(v, stride);
      return ValueError::kNone;
    }
    case Kind::kSum: {
      __int128 sum = node->constant;
      for (const Slot& term : slots) {
        if (const ValueError e = one({term.node, 0}); e != ValueError::kNone) return e;
        sum += static_cast<__int128>(v) * term.value;
      }
      if (sum < std::numeric_limits<int64_t>::min() || sum > std::numeric_limits<int64_t>::max())
        return ValueError::kOverflow;
      *value = static_cast<int64_t>(sum);
      return ValueError::kNone;
    }
    case Kind::kProduct: {
      int64_t product = 1;
      ValueError error = ValueError::kNone;
      for (const Slot& factor : slots) {
        const ValueError e = one({factor.node, 0});
        if (e == ValueError::kNone && v == 0) {
          *value = 0;
          return ValueError::kNone;
        }
        if (error != ValueError::kNone) continue;
        error = e != ValueError::kNone                         ? e
                : __builtin_mul_overflow(product, v, &product) ? ValueError::kOverflow
                                                               : ValueError::kNone;
      }
      *value = product;
      return error;
    }
    case Kind::kFloor: {
      int64_t d;
      if (const ValueError e = Of(slots[1], &d); e != ValueError::kNone) return e;
      if (d < 1) return ValueError::kDivisor;
      if (const ValueError e = one(slots[0]); e != ValueError::kNone) return e;
      *value = FloorQuotient(v, d);
      return ValueError::kNone;
    }
    case Kind::kMin: {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (const Slot& slot : slots) {
        if (const ValueError e = one(slot); e != ValueError::kNone) return e;
        least = std::min(least, v);
      }
      *value = least;
      return ValueError::kNone;
    }
    case Kind::kIte:
      if (const ValueError e = one(slots[0]); e != ValueError::kNone) return e;
      return Of(slots[v != 0 ? 1 : 2], value);
    case Kind::kEq:
    case Kind::kGe:
      if (const ValueError e = one(slots[0]); e != ValueError::kNone) return e;
      *value = node->kind == Kind::kEq ? v == 0 : v >= 0;
      return ValueError::kNone;
    case Kind::kAnd: {
      ValueError error = ValueError::kNone;
      for (const Slot& slot : slots) {
        const ValueError e = one(slot);
        if (e == ValueError::kNone && v == 0) {
          *value = 0;
          return ValueError::kNone;
        }
        if (error == ValueError::kNone) error = e;
      }
      *value = 1;
      return error;
    }
  }
  return ValueError::kInvalid;
}

}  // namespace internal

absl::StatusOr<int64_t> Evaluate(const Expr& e, const Assignment& assignment) {
  if (const auto c = e.Constant()) return *c;
  if (e.IsInvalid())
    return absl::InvalidArgumentError(
        "invalid expression: a number left 64 bits, it is too deep, or a divisor was not positive");
  // Nodes keep what they were in the evaluation that goes on: one at a time, whoever asks.
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  internal::Store& store = *internal::Store::NodeOf(e)->store;
  internal::Evaluator evaluator(store);
  for (const auto& [name, value] : assignment) {
    const int index = store.FindSymbol(name);
    if (index >= 0) evaluator.Set(static_cast<size_t>(index), value);
  }
  int64_t value = 0;
  const auto culprit = [&] { return store.symbols[evaluator.culprit()].info; };
  switch (evaluator.Of(e, &value)) {
    case internal::ValueError::kNone:
      return value;
    case internal::ValueError::kUnbound:
      return absl::NotFoundError(absl::StrCat("no value for `", culprit().name, "`"));
    case internal::ValueError::kExcluded:
      return absl::InvalidArgumentError(
          absl::StrCat("value of `", culprit().name, "` contradicts `", culprit().name, " mod ",
                       culprit().congruence.stride, " == ", culprit().congruence.residue, "`"));
    case internal::ValueError::kOverflow:
      return absl::OutOfRangeError(absl::StrCat("value of `", e.ToString(), "` leaves 64 bits"));
    case internal::ValueError::kDivisor:
      return absl::InvalidArgumentError(
          absl::StrCat("divisor is not positive in `", e.ToString(), "`"));
    case internal::ValueError::kInvalid:
      break;
  }
  return absl::InvalidArgumentError("invalid expression");
}

}  // namespace tessera::solver

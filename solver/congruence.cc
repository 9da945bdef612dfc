#include <cstdlib>
#include <numeric>

#include "solver/poly.h"
#include "solver/store.h"

namespace tessera::solver {
namespace internal {
namespace {

using Wide = __int128;
constexpr Congruence kAnything{1, 0};

Wide Gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

// value == residue mod stride, not yet reduced.
Congruence Reduce(Wide stride, Wide residue) {
  if (stride < 0) stride = -stride;
  if (stride > Range::kPosInf) return kAnything;
  if (stride != 0) {
    residue %= stride;
    if (residue < 0) residue += stride;
  } else if (residue > Range::kPosInf || residue < Range::kNegInf) {
    return kAnything;
  }
  return {static_cast<int64_t>(stride), static_cast<int64_t>(residue)};
}

Congruence Add(const Congruence& a, const Congruence& b, int64_t factor) {
  return Reduce(Gcd(a.stride, static_cast<Wide>(b.stride) * factor),
                a.residue + static_cast<Wide>(b.residue) * factor);
}

Congruence Multiply(const Congruence& a, const Congruence& b) {
  const Wide s = static_cast<Wide>(a.stride) * b.residue;
  const Wide t = static_cast<Wide>(b.stride) * a.residue;
  const Wide st = static_cast<Wide>(a.stride) * b.stride;
  return Reduce(Gcd(Gcd(s, t), st), static_cast<Wide>(a.residue) * b.residue);
}

// What holds of either.
Congruence Join(const Congruence& a, const Congruence& b) {
  return Reduce(Gcd(Gcd(a.stride, b.stride), static_cast<Wide>(a.residue) - b.residue), a.residue);
}

class Congruences {
 public:
  Congruence Of(const Slot& slot) {
    return slot.node == nullptr ? Congruence{0, slot.value} : Of(slot.node);
  }

  Congruence Of(const Node* node) {
    if (budget_-- <= 0) return kAnything;
    const absl::Span<const Slot> slots = node->slots();
    switch (node->kind) {
      case Kind::kSymbol: {
        const SymbolInfo& info = node->store->symbols[static_cast<size_t>(node->constant)].info;
        return info.range.lo == info.range.hi ? Congruence{0, info.range.lo} : info.congruence;
      }
      case Kind::kSum: {
        Congruence sum{0, node->constant};
        for (const Slot& term : slots) sum = Add(sum, Of(term.node), term.value);
        return sum;
      }
      case Kind::kProduct: {
        Congruence product = Of(slots[0].node);
        for (const Slot& factor : slots.subspan(1)) product = Multiply(product, Of(factor.node));
        return product;
      }
      case Kind::kMin: {
        Congruence any = Of(slots[0]);
        for (const Slot& slot : slots.subspan(1)) any = Join(any, Of(slot));
        return any;
      }
      case Kind::kIte:
        return Join(Of(slots[1]), Of(slots[2]));
      default:
        return kAnything;
    }
  }

 private:
  int budget_ = 1000;
};

}  // namespace
}  // namespace internal

Congruence CongruenceOf(const Expr& e) {
  if (e.IsInvalid()) return internal::kAnything;
  return internal::Congruences().Of(internal::Store::SlotOf(e));
}

}  // namespace tessera::solver

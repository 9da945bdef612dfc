#include "recheck/congruence.h"

#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tessera::recheck {
namespace {

using certificate::Term;

// Larger ones say nothing of sizes.
constexpr __int128 kMost = int64_t{1} << 40;

class Finder {
 public:
  explicit Finder(const Terms& terms) : terms_(terms) {}

  Congruence Of(Dim dim) {
    if (const auto it = known_.find(dim); it != known_.end()) return it->second;
    const Congruence found = Compute(dim);
    known_.emplace(dim, found);
    return found;
  }

 private:
  Congruence Compute(Dim dim) {
    const Term term = terms_.terms()[dim];
    const auto operand = [&](int i) { return Of(term.operands[static_cast<size_t>(i)]); };
    switch (term.op) {
      case Operator::kInteger:
        return Small(0, term.value);
      case Operator::kSymbol: {
        const auto [stride, residue] = terms_.RemainderOf(dim);
        return Small(stride, residue);
      }
      case Operator::kNegate:
        return Small(operand(0).stride, -__int128{operand(0).residue});
      case Operator::kAdd:
        return Sum(operand(0), operand(1), 1);
      case Operator::kSubtract:
        return Sum(operand(0), operand(1), -1);
      case Operator::kMultiply:
        return Product(operand(0), operand(1));
      case Operator::kFloorDiv: {
        const Congruence whole = operand(0);
        const std::optional<int64_t> by = terms_.Number(term.operands[1]);
        if (!by || *by < 1 || whole.stride % *by != 0 || whole.residue % *by != 0) return {};
        return {whole.stride / *by, whole.residue / *by};
      }
      case Operator::kMin:
      case Operator::kMax:
        return Either(operand(0), operand(1));
      case Operator::kIte:
        return Either(operand(1), operand(2));
      default:
        return {};
    }
  }

  static Congruence Small(__int128 stride, __int128 residue) {
    if (stride > kMost || residue > kMost || residue < -kMost) return {};
    return {static_cast<int64_t>(stride), static_cast<int64_t>(residue)};
  }
  static Congruence Sum(const Congruence& a, const Congruence& b, int sign) {
    return Small(std::gcd(a.stride, b.stride), __int128{a.residue} + sign * __int128{b.residue});
  }
  static Congruence Product(const Congruence& a, const Congruence& b) {
    const __int128 parts[] = {__int128{a.stride} * b.stride, __int128{a.stride} * b.residue,
                              __int128{b.stride} * a.residue};
    __int128 stride = 0;
    for (__int128 part : parts) {
      if (part < 0) part = -part;
      while (part != 0) stride = std::exchange(part, stride % part);
    }
    return Small(stride, __int128{a.residue} * b.residue);
  }
  static Congruence Either(const Congruence& a, const Congruence& b) {
    return Small(std::gcd(std::gcd(a.stride, b.stride), a.residue - b.residue), a.residue);
  }

  const Terms& terms_;
  absl::flat_hash_map<Dim, Congruence> known_;
};

}  // namespace

Congruence CongruenceOf(const Terms& terms, Dim dim) { return Finder(terms).Of(dim); }

int64_t DivisorOf(const Terms& terms, Dim dim) {
  const Congruence congruence = CongruenceOf(terms, dim);
  return std::gcd(congruence.stride, congruence.residue);
}

}  // namespace tessera::recheck

#include "recheck/way.h"

#include <algorithm>
#include <optional>

namespace tessera::recheck {

Way Opposite(Way way) { return way == Way::kUp ? Way::kDown : way == Way::kDown ? Way::kUp : way; }
Way Both(Way a, Way b) {
  if (a == Way::kFree || a == b) return b;
  return b == Way::kFree ? a : Way::kNeither;
}

Way WayOf(const Terms& terms, Dim dim, Dim moving) {
  if (dim == moving) return Way::kUp;
  const certificate::Term& term = terms.terms()[dim];
  const int arity = certificate::Arity(term.op);
  if (arity == 0) return Way::kFree;
  Way ways[3] = {Way::kFree, Way::kFree, Way::kFree};
  for (int i = 0; i < arity; ++i) ways[i] = WayOf(terms, term.operands[i], moving);
  if (std::all_of(ways, ways + arity, [](Way way) { return way == Way::kFree; })) return Way::kFree;
  const auto number = [&](int i) { return terms.Number(term.operands[i]); };
  switch (term.op) {
    case Operator::kNegate:
      return Opposite(ways[0]);
    case Operator::kSubtract:
      return Both(ways[0], Opposite(ways[1]));
    case Operator::kAdd:
    case Operator::kMin:
    case Operator::kMax:
      return Both(ways[0], ways[1]);
    case Operator::kMultiply: {
      const int factor = ways[0] == Way::kFree ? 0 : 1;
      if (!number(factor)) return Way::kNeither;
      return *number(factor) < 0 ? Opposite(ways[1 - factor]) : ways[1 - factor];
    }
    case Operator::kFloorDiv:
    case Operator::kCeilDiv:
    case Operator::kTruncDiv:
      return number(1).value_or(0) > 0 ? ways[0] : Way::kNeither;
    default:
      return Way::kNeither;
  }
}

}  // namespace tessera::recheck

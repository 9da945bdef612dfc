// Orders of axes. T(x, p) is x with axis p[d] at place d.
#ifndef TESSERA_LAYOUT_PERMUTATION_H_
#define TESSERA_LAYOUT_PERMUTATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/type.h"
#include "ir/value.h"

namespace tessera::layout {

// A plan makes millions of them: those of tensors with few axes ask nothing of the heap.
using Permutation = absl::InlinedVector<int64_t, 6>;

Permutation Identity(int64_t rank);
bool IsIdentity(const Permutation& p);
// T(T(x, p), q) = T(x, Then(p, q)).
Permutation Then(const Permutation& p, const Permutation& q);
Permutation Inverse(const Permutation& p);
// T(x, p) has the elements of x in the same row-major order, whatever the values of its symbols.
bool KeepsOrder(const Permutation& p, const std::vector<ir::Expr>& dims);
// `list` in the order p.
template <class List>
List Permuted(const List& list, const Permutation& p) {
  List result;
  result.reserve(p.size());
  for (int64_t d : p) result.push_back(list[static_cast<size_t>(d)]);
  return result;
}

// The permutation by which `op` (of role kTranspose, the permutation in its second operand, or else
// in its first attribute) orders its first operand; nullopt where it is not known or `op` is
// another operation.
std::optional<Permutation> PermutationOf(const ir::Operation* op);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_PERMUTATION_H_

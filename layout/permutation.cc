#include "layout/permutation.h"

#include <numeric>

#include "ir/operation.h"

namespace tessera::layout {

Permutation Identity(int64_t rank) {
  Permutation p(static_cast<size_t>(rank));
  std::iota(p.begin(), p.end(), 0);
  return p;
}

bool IsIdentity(const Permutation& p) {
  for (size_t d = 0; d < p.size(); ++d) {
    if (p[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

Permutation Then(const Permutation& p, const Permutation& q) { return Permuted(p, q); }

Permutation Inverse(const Permutation& p) {
  Permutation inverse(p.size());
  for (size_t d = 0; d < p.size(); ++d) {
    inverse[static_cast<size_t>(p[d])] = static_cast<int64_t>(d);
  }
  return inverse;
}

bool KeepsOrder(const Permutation& p, const std::vector<ir::Expr>& dims) {
  int64_t last = -1;
  for (int64_t axis : p) {
    if (dims[static_cast<size_t>(axis)] == ir::Expr(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

std::optional<Permutation> PermutationOf(const ir::Operation* op) {
  if (op == nullptr || op->info().role != ir::Role::kTranspose) return std::nullopt;
  if (op->operands().size() < 2) {
    const auto& order = std::get<std::vector<int64_t>>(op->attr(0));
    return Permutation(order.begin(), order.end());
  }
  const std::vector<ir::Expr>* elements = op->operand(1)->elements();
  if (elements == nullptr) return std::nullopt;
  Permutation p;
  for (const ir::Expr& e : *elements) {
    if (!e.IsConstant()) return std::nullopt;
    p.push_back(*e.Constant());
  }
  return p;
}

}  // namespace tessera::layout

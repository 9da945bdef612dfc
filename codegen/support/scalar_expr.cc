#include "codegen/support/scalar_expr.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace tessera::kernels {
namespace {

constexpr int64_t kMostFactors = 8;

std::optional<int64_t> WholeRoot(int64_t v) {
  if (v < 0) return std::nullopt;
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(v)));
  while (root > 0 && root > v / root) --root;
  while ((root + 1) <= v / (root + 1)) ++root;
  return root * root == v ? std::optional<int64_t>(root) : std::nullopt;
}

// Of a product in which each factor occurs an even number of times. (Equal ones are neighbours.)
Expr RootOfProduct(const Expr& product) {
  const solver::View view(product);
  Expr root = 1;
  if (view.kind() != solver::ExprKind::kProduct || view.size() % 2 != 0) return Expr::Invalid();
  for (size_t i = 0; i < view.size(); i += 2) {
    if (!(view.child(i) == view.child(i + 1))) return Expr::Invalid();
    root *= view.child(i);
  }
  // What is made of it says how it was made, as of any size.
  return solver::Derived(Abs(root));
}

}  // namespace

Expr Sqrt(const Expr& a) {
  const solver::View view(a);
  if (view.kind() == solver::ExprKind::kConstant) {
    const std::optional<int64_t> root = WholeRoot(view.constant());
    return root ? Expr(*root) : Expr::Invalid();
  }
  if (view.kind() != solver::ExprKind::kSum) return RootOfProduct(a);
  if (view.constant() != 0 || view.size() != 1) return Expr::Invalid();
  const std::optional<int64_t> root = WholeRoot(view.coefficient(0));
  const Expr rest = RootOfProduct(view.child(0));
  return root && !rest.IsInvalid() ? solver::Derived(Expr(*root) * rest) : Expr::Invalid();
}

Expr Pow(const Expr& a, const Expr& b) {
  const std::optional<int64_t> exponent = b.Constant();
  if (!exponent || *exponent < 0 || *exponent > kMostFactors) return Expr::Invalid();
  Expr power = 1;
  for (int64_t i = 0; i < *exponent; ++i) power *= a;
  return power;
}

}  // namespace tessera::kernels

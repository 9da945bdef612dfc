#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "solver/bounds.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

constexpr int kBoundBudget = 8;

// A total order of polynomials with less(a, b) == less(a + p, b + p).
bool Less(const Poly& a, const Poly& b) {
  Poly difference = b;
  difference.AddScaled(a, -1);
  return difference.terms.empty() ? difference.constant > 0 : difference.terms.back().value > 0;
}

bool HasMin(const Poly& poly) {
  return std::any_of(poly.terms.begin(), poly.terms.end(),
                     [](const Slot& t) { return t.node->kind == Kind::kMin; });
}

// The min that is added once to the rest of the polynomial, if there is exactly one min and it is.
const Node* AddedMin(const Poly& poly) {
  const Node* found = nullptr;
  for (const Slot& term : poly.terms) {
    if (term.node->kind != Kind::kMin) continue;
    if (found != nullptr || term.value != 1) return nullptr;
    found = term.node;
  }
  return found;
}

using Elements = absl::InlinedVector<Poly, 3>;

// Adds an element unless another one is never greater; drops those that the new one is never
// greater than.
void AddElement(Store& store, Elements& elements, Poly element) {
  for (size_t i = 0; i < elements.size();) {
    Poly difference = element;
    difference.AddScaled(elements[i], -1);
    if (difference.ok) {
      if (LowerBound(store, difference, kBoundBudget) >= 0) return;
      difference.Negate();
      if (difference.ok && LowerBound(store, difference, kBoundBudget) >= 0) {
        elements.erase(elements.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
    }
    ++i;
  }
  elements.push_back(std::move(element));
}

void AddElements(Store& store, Elements& elements, const Poly& poly, bool flatten) {
  const Node* min = flatten ? AddedMin(poly) : nullptr;
  if (min == nullptr || elements.size() + min->size > kMaxMinElements) {
    AddElement(store, elements, poly);
    return;
  }
  Poly rest = poly;
  rest.AddTerm(min, -1);
  for (const Slot& slot : min->slots()) {
    Poly element(Store::Of(slot));
    element.AddScaled(rest, 1);
    AddElement(store, elements, std::move(element));
  }
}

Expr MinimumOf(Store& store, Elements& elements) {
  Poly base;
  for (bool again = true; again;) {
    if (elements.size() == 1) {
      elements[0].AddScaled(base, 1);
      return Finish(store, elements[0]);
    }
    std::sort(elements.begin(), elements.end(), Less);
    const Poly least = elements[0];
    base.AddScaled(least, 1);
    for (Poly& element : elements) {
      element.AddScaled(least, -1);
      if (!element.ok || element.constant == Range::kNegInf) return Expr::Invalid();
    }
    // A difference may be a min of its own where the operands were not.
    again = false;
    for (size_t i = 0; i < elements.size() && !again; ++i) {
      const Node* min = AddedMin(elements[i]);
      if (min == nullptr || elements.size() - 1 + min->size > kMaxMinElements) continue;
      const Poly nested = elements[i];
      elements.erase(elements.begin() + static_cast<ptrdiff_t>(i));
      AddElements(store, elements, nested, true);
      again = true;
    }
  }
  int64_t g = 0;
  for (const Poly& element : elements)
    g = std::gcd(g, std::gcd(Content(element), element.constant));
  Slots slots;
  for (Poly& element : elements) {
    for (Slot& term : element.terms) term.value /= g;
    element.constant /= g;
    slots.push_back(Store::SlotOf(Finish(store, element)));
  }
  const Expr atom = store.Atom(Kind::kMin, 0, slots);
  if (IsInvalid(atom)) return atom;
  base.AddTerm(Store::NodeOf(atom), g);
  return Finish(store, base);
}

}  // namespace

Expr Minimum(Store& store, const Expr& a, const Expr& b) {
  const Poly x(a);
  const Poly y(b);
  Poly difference = x;
  difference.AddScaled(y, -1);
  if (!difference.ok) return Expr::Invalid();
  // A min that both share stays outside.
  const bool flatten = HasMin(difference);
  Elements elements;
  AddElements(store, elements, x, flatten);
  AddElements(store, elements, y, flatten);
  return MinimumOf(store, elements);
}

Expr Maximum(Store& store, const Expr& a, const Expr& b) {
  Poly x(a);
  Poly y(b);
  x.Negate();
  y.Negate();
  Poly difference = x;
  difference.AddScaled(y, -1);
  if (!x.ok || !y.ok || !difference.ok) return Expr::Invalid();
  if (HasMin(difference) && (AddedMin(x) != nullptr || AddedMin(y) != nullptr)) {
    Elements elements;
    AddElements(store, elements, x, true);
    AddElements(store, elements, y, true);
    return -MinimumOf(store, elements);
  }
  return a + b - Minimum(store, a, b);
}

}  // namespace tessera::solver::internal

#include <algorithm>
#include <utility>

#include "solver/rules.h"

namespace tessera::solver {
namespace internal {
namespace {

class Rebuilder {
 public:
  Rebuilder(Store& store, const Replacement& replacement)
      : store_(store), replacement_(replacement), stamp_(++store.next_stamp) {}

  Expr Of(const Slot& slot) { return slot.node == nullptr ? Expr(slot.value) : Of(slot.node); }

  Expr Of(const Node* node) {
    if (node == replacement_.atom) return replacement_.value;
    if (replacement_.atom == nullptr && (node->symbols & replacement_.symbols) == 0)
      return Store::Of(node);
    if (node->copy_stamp == stamp_) return Store::Of(node->copy);
    const Expr result = Build(node);
    node->copy = Store::SlotOf(result);
    node->copy_stamp = stamp_;
    return result;
  }

 private:
  Expr Build(const Node* node) {
    const absl::Span<const Slot> slots = node->slots();
    switch (node->kind) {
      case Kind::kInvalid:
        return Expr::Invalid();
      case Kind::kSymbol:
      case Kind::kQuotient:
        return replacement_.leaf(node);
      case Kind::kSum: {
        Poly sum(node->constant);
        for (const Slot& term : slots) {
          const Expr monomial = Of(term.node);
          if (IsInvalid(monomial)) return monomial;
          sum.AddScaled(PolyView(monomial), term.value);
        }
        return Finish(store_, sum);
      }
      case Kind::kProduct: {
        Expr product = Of(slots[0].node);
        for (const Slot& factor : slots.subspan(1)) product *= Of(factor.node);
        return product;
      }
      case Kind::kFloor: {
        const Expr n = Of(slots[0]);
        const Expr d = Of(slots[1]);
        if (IsInvalid(n) || IsInvalid(d)) return Expr::Invalid();
        return Floor(store_, Poly(n), Poly(d));
      }
      case Kind::kMin: {
        Expr least = Of(slots[0]);
        for (const Slot& slot : slots.subspan(1)) least = Min(least, Of(slot));
        return least;
      }
      case Kind::kIte: {
        const Expr c = Of(slots[0]);
        if (const auto known = c.Constant()) return Of(slots[*known != 0 ? 1 : 2]);
        return Ite(c, Of(slots[1]), Of(slots[2]));
      }
      case Kind::kEq:
        return Eq(Of(slots[0]), 0);
      case Kind::kGe:
        return Ge(Of(slots[0]), 0);
      case Kind::kAnd: {
        Expr all = 1;
        for (const Slot& slot : slots) {
          all = And(all, Of(slot));
          if (all == Expr(0)) break;
        }
        return all;
      }
    }
    return Expr::Invalid();
  }

  Store& store_;
  const Replacement& replacement_;
  const uint32_t stamp_;
};

void Visit(const Node* node, uint32_t stamp, absl::FunctionRef<void(const Node*)> visit) {
  if (node == nullptr || node->copy_stamp == stamp) return;
  node->copy_stamp = stamp;
  for (const Slot& slot : node->slots()) Visit(slot.node, stamp, visit);
  visit(node);
}

}  // namespace

Expr Rebuild(const Expr& e, const Replacement& replacement) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr || node->store == nullptr) return e;
  return Rebuilder(*node->store, replacement).Of(node);
}

Expr CurrentLeaf(const Node* node) {
  const SymbolEntry& entry = node->store->symbols[static_cast<size_t>(node->constant)];
  if (node->kind == Kind::kSymbol) return entry.current;
  const Slot& stride = node->slots()[0];
  const Slot& residue = node->slots()[1];
  return FloorDiv(entry.current - residue.value, stride.value);
}

Expr SameLeaf(const Node* node) { return Store::Of(node); }

void ForEachNode(const Expr& e, absl::FunctionRef<void(const Node*)> visit) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr || node->store == nullptr) return;
  Visit(node, ++node->store->next_stamp, visit);
}

bool Occurs(const Expr& e, int64_t symbol) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr || (node->symbols & SymbolBit(symbol)) == 0) return false;
  bool found = false;
  ForEachNode(e, [&](const Node* n) {
    found |= (n->kind == Kind::kSymbol || n->kind == Kind::kQuotient) && n->constant == symbol;
  });
  return found;
}

}  // namespace internal

using internal::Kind;
using internal::Node;
using internal::Store;

Expr Substitute(const Expr& e, const std::map<std::string, Expr, std::less<>>& values) {
  const Node* root = Store::NodeOf(e);
  if (root == nullptr || root->store == nullptr) return e;
  Store& store = *root->store;
  uint64_t symbols = 0;
  for (const auto& [name, value] : values) {
    const int index = store.FindSymbol(name);
    if (index >= 0) symbols |= internal::SymbolBit(index);
  }
  const auto leaf = [&](const Node* node) -> Expr {
    const auto it = values.find(store.symbols[static_cast<size_t>(node->constant)].info.name);
    if (it == values.end()) return Store::Of(node);
    if (node->kind == Kind::kSymbol) return it->second;
    return FloorDiv(it->second, node->slots()[0].value);
  };
  return internal::Rebuild(e, {.leaf = leaf, .symbols = symbols, .atom = nullptr, .value = 0});
}

std::vector<std::string> SymbolsOf(const Expr& e) {
  std::vector<std::string> names;
  const Node* root = Store::NodeOf(e);
  if (root == nullptr || root->store == nullptr) return names;
  std::vector<int64_t> occurring;
  internal::ForEachNode(e, [&](const Node* node) {
    if (node->kind == Kind::kSymbol || node->kind == Kind::kQuotient)
      occurring.push_back(node->constant);
  });
  std::sort(occurring.begin(), occurring.end());
  occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  for (int64_t symbol : occurring)
    names.push_back(root->store->symbols[static_cast<size_t>(symbol)].info.name);
  return names;
}

}  // namespace tessera::solver

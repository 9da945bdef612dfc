#include "solver/expr.h"
#include "solver/store.h"

namespace tessera::solver {

using internal::Kind;
using internal::Node;
using internal::Slot;
using internal::Store;

namespace {

ExprKind KindOf(const Node* node) {
  switch (node->kind) {
    case Kind::kInvalid:
      return ExprKind::kInvalid;
    case Kind::kSymbol:
      return ExprKind::kSymbol;
    case Kind::kQuotient:
    case Kind::kFloor:
      return ExprKind::kFloorDiv;
    case Kind::kSum:
      return ExprKind::kSum;
    case Kind::kProduct:
      return ExprKind::kProduct;
    case Kind::kMin:
      return ExprKind::kMin;
    case Kind::kIte:
      return ExprKind::kIte;
    case Kind::kEq:
      return ExprKind::kEqZero;
    case Kind::kGe:
      return ExprKind::kGeZero;
    case Kind::kAnd:
      return ExprKind::kAnd;
  }
  return ExprKind::kInvalid;
}

}  // namespace

View::View(const Expr& e) : node_(Store::NodeOf(e)) {
  kind_ = node_ == nullptr ? ExprKind::kConstant : KindOf(node_);
  if (node_ == nullptr) constant_ = *e.Constant();
  if (kind_ == ExprKind::kSum) constant_ = node_->constant;
}

std::string_view View::symbol() const {
  return kind_ == ExprKind::kSymbol
             ? std::string_view(
                   node_->store->symbols[static_cast<size_t>(node_->constant)].info.name)
             : std::string_view();
}

size_t View::size() const { return node_ == nullptr ? 0 : node_->size; }

Expr View::child(size_t i) const {
  const Slot& slot = node_->slots()[i];
  // (symbol - residue)/stride is floor(symbol/stride).
  if (node_->kind == Kind::kQuotient)
    return i == 0 ? Store::Of(node_->store->symbols[static_cast<size_t>(node_->constant)].node)
                  : Store::Of(node_->slots()[0]);
  if (node_->kind == Kind::kSum || node_->kind == Kind::kProduct) return Store::Of(slot.node);
  return Store::Of(slot);
}

int64_t View::coefficient(size_t i) const {
  return kind_ == ExprKind::kSum ? node_->slots()[i].value : 1;
}

}  // namespace tessera::solver

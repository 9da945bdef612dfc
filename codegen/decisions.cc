#include "codegen/decisions.h"

#include <utility>

namespace tessera::codegen {
namespace {

bool Compares(const Node& node) {
  return node.kind == Node::kBinary &&
         (node.text == "<" || node.text == "<=" || node.text == ">" || node.text == ">=");
}
bool IsLogic(const Node& node) {
  return node.kind == Node::kBinary && (node.text == "&&" || node.text == "||");
}

class Collector {
 public:
  void Guard(const NodePtr& node) {
    decisions.push_back({node, true, true, Compares(*node)});
    Below(*node);
  }
  void Term(const NodePtr& node) {
    if (node == nullptr) return;
    if (Compares(*node)) decisions.push_back({node, false, false, true});
    Below(*node);
  }

  std::vector<Decision> decisions;

 private:
  void Side(const NodePtr& node, bool conjunction) {
    // `a && b && c` has three sides.
    if (IsLogic(*node) && (node->text == "&&") == conjunction) {
      Below(*node);
      return;
    }
    decisions.push_back({node, conjunction, !conjunction, Compares(*node)});
    Below(*node);
  }
  void Below(const Node& node) {
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (IsLogic(node)) {
        Side(node.children[i], node.text == "&&");
      } else if (node.kind == Node::kTernary && i == 0) {
        Guard(node.children[i]);
      } else {
        Term(node.children[i]);
      }
    }
    for (const auto& [name, child] : node.named) Term(child);
    for (const Binder& binder : node.binders) {
      Term(binder.from);
      Term(binder.to);
    }
  }
};

}  // namespace

std::vector<Decision> DecisionsOf(const LowerClause& lower) {
  Collector collector;
  for (const ClauseItem& item : lower.items) {
    if (item.condition != nullptr) collector.Guard(item.condition);
    collector.Term(item.value);
    for (const Binder& binder : item.binders) {
      collector.Term(binder.from);
      collector.Term(binder.to);
    }
  }
  return std::move(collector.decisions);
}

}  // namespace tessera::codegen

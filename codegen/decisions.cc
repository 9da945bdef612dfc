#include "codegen/decisions.h"

#include <set>
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
  Collector(const Program& program, const std::string& dialect)
      : program_(program), dialect_(dialect) {}

  void Guard(const NodePtr& node) {
    Add(node, true, true, Compares(*node));
    Below(*node);
  }
  void Term(const NodePtr& node) {
    if (node == nullptr) return;
    if (Compares(*node)) Add(node, false, false, true);
    Below(*node);
  }
  void Functions() {
    for (size_t i = 0; i < called_.size(); ++i) {
      function_ = called_[i]->name;
      Term(called_[i]->body);
    }
  }

  std::vector<Decision> decisions;

 private:
  void Add(const NodePtr& node, bool holds, bool fails, bool moves) {
    decisions.push_back({node, holds, fails, moves, function_});
  }
  void Side(const NodePtr& node, bool conjunction) {
    // `a && b && c` has three sides.
    if (IsLogic(*node) && (node->text == "&&") == conjunction) {
      Below(*node);
      return;
    }
    Add(node, conjunction, !conjunction, Compares(*node));
    Below(*node);
  }
  void Below(const Node& node) {
    const Function* const function =
        node.kind == Node::kCall ? program_.FindFunction(dialect_, node.text) : nullptr;
    if (function != nullptr && known_.insert(function).second) called_.push_back(function);
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

  const Program& program_;
  const std::string& dialect_;
  std::string function_;  // whose body is looked at
  std::vector<const Function*> called_;
  std::set<const Function*> known_;
};

}  // namespace

std::vector<Decision> DecisionsOf(const LowerClause& lower, const Program& program) {
  Collector collector(program, lower.target);
  for (const ClauseItem& item : lower.items) {
    if (item.condition != nullptr) collector.Guard(item.condition);
    collector.Term(item.value);
    for (const Binder& binder : item.binders) {
      collector.Term(binder.from);
      collector.Term(binder.to);
    }
  }
  collector.Functions();
  return std::move(collector.decisions);
}

}  // namespace tessera::codegen

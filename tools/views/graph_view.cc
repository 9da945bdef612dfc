#include "tools/views/graph_view.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/attribute.h"
#include "ir/op_info.h"

namespace tessera::views {
namespace {

using ir::AbslView;

std::string SymbolText(const solver::SymbolInfo& symbol) {
  // The bound of every dim that nobody bounded says nothing.
  const int64_t unbounded = solver::SymbolInfo{}.range.hi;
  std::string text = absl::StrCat(symbol.name, " : ", symbol.range.lo, "..");
  if (symbol.range.hi < unbounded) absl::StrAppend(&text, symbol.range.hi);
  if (symbol.congruence.stride != 1) {
    absl::StrAppend(&text, ", mod ", symbol.congruence.stride, " = ", symbol.congruence.residue);
  }
  if (symbol.value.has_value()) absl::StrAppend(&text, ", = ", symbol.value->ToString());
  if (!symbol.origin.empty()) absl::StrAppend(&text, " (", symbol.origin, ")");
  return text;
}

// A constant that the node reading it shows; not one that somebody asks the network for.
bool IsShownByReaders(const ir::Operation& op) {
  return op.payload() != nullptr && !op.result()->is_graph_output();
}

class Builder {
 public:
  explicit Builder(const ir::Graph& graph) : graph_(graph) {}

  GraphView Build() {
    for (const solver::SymbolInfo* symbol : graph_.context().symbols())
      view_.symbols.push_back(SymbolText(*symbol));
    for (const ir::Value* input : graph_.inputs()) {
      NodeView node;
      node.kind = NodeView::kInput;
      node.title = input->name();
      node.results = {input->type().ToString()};
      Define(input, std::move(node));
    }
    for (const ir::Operation* op : graph_.TopologicalOrder()) Add(*op);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      NodeView node;
      node.kind = NodeView::kOutput;
      node.title = graph_.output_names()[i];
      node.results = {graph_.outputs()[i]->type().ToString()};
      view_.nodes.push_back(std::move(node));
      Connect(graph_.outputs()[i]);
    }
    for (const ir::Obligation& obligation : graph_.obligations()) {
      view_.obligations.push_back({obligation.op, obligation.location.ToString(),
                                   obligation.constraint, obligation.message,
                                   obligation.predicate.ToString()});
    }
    return std::move(view_);
  }

 private:
  void Define(const ir::Value* value, NodeView node) {
    definitions_[value] = view_.nodes.size();
    view_.nodes.push_back(std::move(node));
  }

  // An edge into the last node.
  void Connect(const ir::Value* value) {
    const auto it = definitions_.find(value);
    if (it == definitions_.end()) return;
    const bool ordering = value->kind() == ir::Value::Kind::kBarrier;
    view_.edges.push_back({it->second, view_.nodes.size() - 1,
                           ordering ? "order" : value->type().ToString(), ordering});
  }

  void Add(const ir::Operation& op) {
    ++view_.operations;
    if (IsShownByReaders(op)) return;
    ++view_.counts[absl::StrCat(AbslView(op.info().dialect), ".", AbslView(op.info().name))];
    NodeView node;
    node.id = op.id();
    node.title = std::string(op.info().name);
    node.scope = op.location().ToString();
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const ir::Value* operand = op.operand(i);
      if (operand == nullptr || operand->producer() == nullptr ||
          !IsShownByReaders(*operand->producer()))
        continue;
      const ir::OperandSpec* spec = ir::OperandSpecAt(op.info(), i);
      node.constants.push_back(absl::StrCat(spec == nullptr ? "" : AbslView(spec->name), " ",
                                            operand->type().ToString()));
    }
    for (size_t i = 0; i < op.attrs().size() && i < op.info().attrs.size(); ++i) {
      if (std::holds_alternative<std::monostate>(op.attr(i))) continue;
      const ir::AttrSpec& spec = op.info().attrs[i];
      node.attributes.push_back(
          absl::StrCat(AbslView(spec.name), "=", ir::ToString(op.attr(i), spec)));
    }
    for (const ir::Value* result : op.results()) node.results.push_back(result->type().ToString());
    const size_t index = view_.nodes.size();
    for (const ir::Value* result : op.results()) definitions_[result] = index;
    if (op.barrier() != nullptr) definitions_[op.barrier()] = index;
    view_.nodes.push_back(std::move(node));
    for (const ir::Value* operand : op.operands()) Connect(operand);
    for (const ir::Value* barrier : op.barriers()) Connect(barrier);
  }

  const ir::Graph& graph_;
  GraphView view_;
  absl::flat_hash_map<const ir::Value*, size_t> definitions_;
};

// All that tells whether an operation is what it was, by the id of the operation.
absl::flat_hash_map<int, std::string> Signatures(const GraphView& view) {
  absl::flat_hash_map<int, std::string> signatures;
  for (const NodeView& node : view.nodes) {
    if (node.kind != NodeView::kOperation) continue;
    std::string& text = signatures[node.id];
    text = node.title;
    for (const auto* lines : {&node.constants, &node.attributes, &node.results}) {
      for (const std::string& line : *lines) absl::StrAppend(&text, "\n", line);
      text += "\n;";
    }
  }
  for (const EdgeView& edge : view.edges) {
    const NodeView& to = view.nodes[edge.to];
    const NodeView& from = view.nodes[edge.from];
    if (to.kind != NodeView::kOperation) continue;
    absl::StrAppend(&signatures[to.id], "\n<",
                    from.kind == NodeView::kInput ? from.title : absl::StrCat(from.id));
  }
  return signatures;
}

}  // namespace

GraphView View(const ir::Graph& graph) { return Builder(graph).Build(); }

std::vector<RemovedNode> Compare(const GraphView& before, GraphView& after) {
  const auto old = Signatures(before), now = Signatures(after);
  for (NodeView& node : after.nodes) {
    if (node.kind != NodeView::kOperation) continue;
    const auto it = old.find(node.id);
    node.change = it == old.end()                 ? NodeView::kAdded
                  : it->second != now.at(node.id) ? NodeView::kChanged
                                                  : NodeView::kSame;
  }
  std::vector<RemovedNode> removed;
  for (const NodeView& node : before.nodes) {
    if (node.kind == NodeView::kOperation && now.count(node.id) == 0)
      removed.push_back({node.title, node.scope});
  }
  return removed;
}

}  // namespace tessera::views

#include "tools/views/dot.h"

#include "absl/strings/str_cat.h"
#include "report/markup.h"

namespace tessera::views {
namespace {

using report::Shortened;

// In double quotes; `\l` ends a line that is set flush left.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

std::string Line(const std::string& text) {
  const std::string quoted = Quoted(text);
  return quoted.substr(1, quoted.size() - 2) + "\\l";
}

std::string Label(const NodeView& node) {
  std::string text = Line(node.title);
  for (const auto* lines : {&node.constants, &node.attributes, &node.results}) {
    for (const std::string& line : *lines) text += Line(Shortened(line, 60));
  }
  return absl::StrCat("\"", text, "\"");
}

}  // namespace

std::string ToDot(const GraphView& graph, const std::string& name) {
  std::string dot = absl::StrCat("digraph ", Quoted(name),
                                 " {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n",
                                 "  edge [fontname=\"monospace\", fontsize=9];\n");
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const NodeView& node = graph.nodes[i];
    absl::StrAppend(&dot, "  n", i, " [label=", Label(node));
    if (node.kind != NodeView::kOperation) absl::StrAppend(&dot, ", shape=ellipse");
    if (node.change == NodeView::kAdded) absl::StrAppend(&dot, ", color=\"#1a7f37\", penwidth=2");
    if (node.change == NodeView::kChanged) absl::StrAppend(&dot, ", color=\"#9a6700\", penwidth=2");
    if (!node.scope.empty()) absl::StrAppend(&dot, ", tooltip=", Quoted(node.scope));
    dot += "];\n";
  }
  for (const EdgeView& edge : graph.edges) {
    absl::StrAppend(&dot, "  n", edge.from, " -> n", edge.to, " [label=", Quoted(edge.label),
                    edge.ordering ? ", style=dashed" : "", "];\n");
  }
  return dot + "}\n";
}

}  // namespace tessera::views

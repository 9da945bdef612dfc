#include "tools/views/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/colour.h"
#include "report/markup.h"
#include "tools/views/layout.h"

namespace tessera::views {
namespace {

using report::Columns;
using report::Escaped;
using report::HueOf;
using report::Shortened;
using report::Wrapped;

constexpr double kTitleHeight = 20, kLineHeight = 14, kPadding = 8;
constexpr double kTitleColumn = 7.6, kColumn = 6.05;  // width of a character: bold 13, mono 10
constexpr size_t kMostColumns = 44;

// Lines under the title, each with its class.
struct Box {
  std::string title;
  std::vector<std::pair<const char*, std::string>> lines;
  Size size;
};

Box BoxOf(const NodeView& node) {
  Box box{node.title, {}, {}};
  if (!node.scope.empty()) {
    // The end of a scope tells more than its beginning.
    const size_t columns = Columns(node.scope);
    box.lines.emplace_back(
        "s", columns <= kMostColumns
                 ? node.scope
                 : Shortened(node.scope.substr(node.scope.find_last_of("/+") + 1), kMostColumns));
  }
  for (const std::string& line : node.constants)
    box.lines.emplace_back("c", Shortened(line, kMostColumns));
  for (const std::string& line : Wrapped(absl::StrJoin(node.attributes, " "), kMostColumns, 2))
    box.lines.emplace_back("a", line);
  for (const std::string& result : node.results) {
    for (const std::string& line : Wrapped(result, kMostColumns, 4))
      box.lines.emplace_back("t", line);
  }
  double width = kTitleColumn * static_cast<double>(Columns(box.title));
  for (const auto& [style, line] : box.lines)
    width = std::max(width, kColumn * static_cast<double>(Columns(line)));
  box.size = {std::ceil(std::max(width, 40.0) + 2 * kPadding),
              kTitleHeight + kLineHeight * static_cast<double>(box.lines.size()) + kPadding};
  return box;
}

std::string Number(double value) { return absl::StrCat(std::round(value * 10) / 10); }

std::string PathOf(const std::vector<Point>& route) {
  std::string path = absl::StrCat("M", Number(route[0].x), ",", Number(route[0].y));
  for (size_t i = 1; i < route.size(); ++i) {
    const Point &a = route[i - 1], &b = route[i];
    if (std::abs(a.x - b.x) < 0.05) {
      absl::StrAppend(&path, "V", Number(b.y));
    } else {
      const std::string middle = Number((a.y + b.y) / 2);
      absl::StrAppend(&path, "C", Number(a.x), ",", middle, " ", Number(b.x), ",", middle, " ",
                      Number(b.x), ",", Number(b.y));
    }
  }
  return path;
}

// All of a node, for who points at it.
std::string Tooltip(const NodeView& node) {
  std::string text = node.title;
  for (const auto* lines : {&node.constants, &node.attributes, &node.results}) {
    for (const std::string& line : *lines) absl::StrAppend(&text, "\n", line);
  }
  return node.scope.empty() ? text : absl::StrCat(text, "\n", node.scope);
}

void AppendNode(std::string& svg, const NodeView& node, const Box& box, Point at,
                const std::string& id) {
  static constexpr std::array<const char*, 3> kChange = {"", " added", " changed"};
  static constexpr std::array<const char*, 3> kKind = {"input", "op", "output"};
  absl::StrAppend(&svg, "<g id=\"", id, "\" class=\"n ", kKind[node.kind], kChange[node.change],
                  "\" transform=\"translate(", Number(at.x), ",", Number(at.y), ")\"><title>",
                  Escaped(Tooltip(node)), "</title><rect width=\"", Number(box.size.width),
                  "\" height=\"", Number(box.size.height), "\" rx=\"",
                  node.kind == NodeView::kOperation ? 4 : 12, "\"/>");
  if (node.kind == NodeView::kOperation) {
    absl::StrAppend(&svg, "<path class=\"hue\" style=\"fill:hsl(", HueOf(node.title),
                    ",55%,55%)\" d=\"M4,0H", Number(box.size.width - 4),
                    "q4,0 4,4H0q0,-4 4,-4z\"/>");
  }
  absl::StrAppend(&svg, "<text x=\"", kPadding, "\" y=\"18\">", Escaped(box.title), "</text>");
  double y = 18;
  for (const auto& [style, line] : box.lines) {
    y += kLineHeight;
    absl::StrAppend(&svg, "<text class=\"", style, "\" x=\"", kPadding, "\" y=\"", y, "\">",
                    Escaped(line), "</text>");
  }
  svg += "</g>\n";
}

std::string Draw(const GraphView& graph, const std::string& prefix, std::string_view style) {
  std::vector<Box> boxes;
  std::vector<Size> sizes;
  std::vector<std::pair<size_t, size_t>> edges;
  for (const NodeView& node : graph.nodes) boxes.push_back(BoxOf(node));
  for (const Box& box : boxes) sizes.push_back(box.size);
  for (const EdgeView& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  const Layout layout = LayOut(sizes, edges);
  const std::string width = Number(std::ceil(layout.width));
  const std::string height = Number(std::ceil(layout.height));
  std::string svg =
      absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"", width,
                   "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height, "\">\n");
  if (!style.empty())
    absl::StrAppend(&svg, "<style>\n", absl::string_view(style.data(), style.size()), "</style>\n");
  absl::StrAppend(
      &svg, "<defs><marker id=\"", prefix,
      "arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0L8,4L0,8z\"/></marker></defs>\n");
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const EdgeView& edge = graph.edges[e];
    absl::StrAppend(&svg, "<path class=\"e", edge.ordering ? " order" : "", "\" data-from=\"",
                    edge.from, "\" data-to=\"", edge.to, "\" marker-end=\"url(#", prefix,
                    "arrow)\" d=\"", PathOf(layout.routes[e]), "\"><title>", Escaped(edge.label),
                    "</title></path>\n");
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    AppendNode(svg, graph.nodes[i], boxes[i], layout.corners[i], absl::StrCat(prefix, i));
  return svg + "</svg>\n";
}

}  // namespace

std::string_view SvgStyle() {
  return R"(.graph{background:#fff}
.graph text{font:10px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#57606a}
.graph .n>text:first-of-type{font:600 13px system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}
.graph rect{fill:#fff;stroke:#8c959f}
.graph .input rect,.graph .output rect{fill:#f6f8fa;stroke:#57606a}
.graph .added rect{fill:#eefbf1;stroke:#1a7f37;stroke-width:2}
.graph .changed rect{fill:#fff9e6;stroke:#9a6700;stroke-width:2}
.graph .s{fill:#8c959f}
.graph .c{fill:#8250df}
.graph .t{fill:#0550ae}
.graph .e{fill:none;stroke:#8c959f;stroke-width:1.2}
.graph .order{stroke-dasharray:4 3}
.graph marker path{fill:#8c959f}
)";
}

std::string ToSvg(const GraphView& graph) { return Draw(graph, "n", SvgStyle()); }

std::string ToInlineSvg(const GraphView& graph, const std::string& prefix) {
  return Draw(graph, prefix, "");
}

}  // namespace tessera::views

#include "tools/views/layout.h"

#include <algorithm>

#include "tools/views/layers.h"

namespace tessera::views {
namespace {

constexpr double kGapX = 28, kGapY = 34, kMargin = 16;
constexpr double kChainWidth = 6;  // of an edge that passes a layer
// What is over this budget of layers, summed over the edges, is drawn as lines from end to end.
constexpr size_t kMostSpans = 60000;

class Layering {
 public:
  Layering(const std::vector<Size>& nodes, const std::vector<std::pair<size_t, size_t>>& edges)
      : nodes_(nodes), edges_(edges), vertices_(nodes.size()) {
    for (size_t i = 0; i < nodes.size(); ++i) vertices_[i].width = nodes[i].width;
  }

  Layout Run() {
    AssignLayers();
    BuildChains();
    OrderLayers(vertices_, layers_);
    PlaceVertices(vertices_, layers_, kGapX);
    return Finish();
  }

 private:
  void AssignLayers() {
    std::vector<std::vector<size_t>> readers(nodes_.size());
    // What does not depend on the first node, which is what the graph begins with, hangs on
    // whatever reads it.
    std::vector<bool> hangs(nodes_.size(), true);
    for (const auto& [from, to] : edges_) readers[from].push_back(to);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (i == 0) hangs[i] = false;
      for (size_t to : readers[i]) {
        vertices_[to].layer = std::max(vertices_[to].layer, vertices_[i].layer + 1);
        if (!hangs[i]) hangs[to] = false;
      }
    }
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (!hangs[i] || readers[i].empty()) continue;
      size_t first = vertices_[readers[i][0]].layer;
      for (size_t to : readers[i]) first = std::min(first, vertices_[to].layer);
      vertices_[i].layer = first - 1;
    }
  }

  size_t AddChainPoint(size_t above, size_t layer) {
    Vertex vertex;
    vertex.width = kChainWidth;
    vertex.layer = layer;
    vertex.chain = true;
    vertices_.push_back(vertex);
    Link(above, vertices_.size() - 1);
    return vertices_.size() - 1;
  }

  void Link(size_t above, size_t below) {
    vertices_[above].down.push_back(below);
    vertices_[below].up.push_back(above);
  }

  void BuildChains() {
    std::vector<std::vector<size_t>> chains(nodes_.size());  // point k is k + 1 layers below
    paths_.resize(edges_.size());
    size_t spans = 0;
    for (size_t e = 0; e < edges_.size(); ++e) {
      const auto [from, to] = edges_[e];
      const size_t span = vertices_[to].layer - vertices_[from].layer;
      std::vector<size_t>& chain = chains[from];
      if (spans + span > kMostSpans && span > 1) continue;
      spans += span;
      while (chain.size() + 1 < span) {
        const size_t above = chain.empty() ? from : chain.back();
        chain.push_back(AddChainPoint(above, vertices_[from].layer + chain.size() + 1));
      }
      paths_[e].assign(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(span - 1));
      Link(span == 1 ? from : chain[span - 2], to);
    }
    for (size_t v = 0; v < vertices_.size(); ++v) {
      const size_t layer = vertices_[v].layer;
      if (layers_.size() <= layer) layers_.resize(layer + 1);
      layers_[layer].push_back(v);
    }
  }

  Layout Finish() const {
    Layout layout;
    double left = 0, right = 0;
    for (const Vertex& vertex : vertices_) {
      left = std::min(left, vertex.x - vertex.width / 2);
      right = std::max(right, vertex.x + vertex.width / 2);
    }
    std::vector<double> top(layers_.size() + 1, kMargin), bottom(layers_.size(), kMargin);
    for (size_t k = 0; k < layers_.size(); ++k) {
      double height = 0;
      for (size_t v : layers_[k]) {
        if (!vertices_[v].chain) height = std::max(height, nodes_[v].height);
      }
      bottom[k] = top[k] + height;
      top[k + 1] = bottom[k] + kGapY;
    }
    const double shift = kMargin - left;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const double slack = bottom[vertices_[i].layer] - top[vertices_[i].layer] - nodes_[i].height;
      layout.corners.push_back(
          {vertices_[i].x - nodes_[i].width / 2 + shift, top[vertices_[i].layer] + slack / 2});
    }
    Route(layout, top, bottom, shift);
    layout.width = right - left + 2 * kMargin;
    layout.height = layers_.empty() ? 2 * kMargin : bottom.back() + kMargin;
    return layout;
  }

  void Route(Layout& layout, const std::vector<double>& top, const std::vector<double>& bottom,
             double shift) const {
    layout.routes.resize(edges_.size());
    std::vector<std::vector<size_t>> entering(nodes_.size());
    for (size_t e = 0; e < edges_.size(); ++e) {
      const auto [from, to] = edges_[e];
      layout.routes[e].push_back(
          {vertices_[from].x + shift, layout.corners[from].y + nodes_[from].height});
      for (size_t v : paths_[e]) {
        layout.routes[e].push_back({vertices_[v].x + shift, top[vertices_[v].layer]});
        layout.routes[e].push_back({vertices_[v].x + shift, bottom[vertices_[v].layer]});
      }
      entering[to].push_back(e);
    }
    for (size_t to = 0; to < nodes_.size(); ++to) {
      // Side by side, in the order in which they come.
      std::vector<size_t>& edges = entering[to];
      std::stable_sort(edges.begin(), edges.end(), [&](size_t a, size_t b) {
        return layout.routes[a].back().x < layout.routes[b].back().x;
      });
      const double step =
          std::min(14.0, nodes_[to].width / (static_cast<double>(edges.size()) + 1));
      for (size_t i = 0; i < edges.size(); ++i) {
        const double aside =
            (static_cast<double>(i) - (static_cast<double>(edges.size()) - 1) / 2) * step;
        layout.routes[edges[i]].push_back({vertices_[to].x + shift + aside, layout.corners[to].y});
      }
    }
  }

  const std::vector<Size>& nodes_;
  const std::vector<std::pair<size_t, size_t>>& edges_;
  std::vector<Vertex> vertices_;  // the nodes, then the points of chains
  Layers layers_;
  std::vector<std::vector<size_t>> paths_;  // per edge: its points
};

}  // namespace

Layout LayOut(const std::vector<Size>& nodes, const std::vector<std::pair<size_t, size_t>>& edges) {
  return Layering(nodes, edges).Run();
}

}  // namespace tessera::views

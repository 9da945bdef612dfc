#include "tools/views/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::views {
namespace {

constexpr double kGapX = 28, kGapY = 34, kMargin = 16;
constexpr double kChainWidth = 6;    // of an edge that passes a layer
constexpr double kStraightness = 8;  // weight of a chain's points against that of boxes
constexpr int kOrderSweeps = 12, kPositionSweeps = 24, kStraightenRounds = 8;
// What is over this budget of layers, summed over the edges, is drawn as lines from end to end.
constexpr size_t kMostSpans = 60000;

// A box, or a point of a chain.
struct Vertex {
  double width = 0;
  size_t layer = 0;
  bool chain = false;
  double x = 0;  // middle
  std::vector<size_t> up, down;
};

class Layering {
 public:
  Layering(const std::vector<Size>& nodes, const std::vector<std::pair<size_t, size_t>>& edges)
      : nodes_(nodes), edges_(edges), vertices_(nodes.size()) {
    for (size_t i = 0; i < nodes.size(); ++i) vertices_[i].width = nodes[i].width;
  }

  Layout Run() {
    AssignLayers();
    BuildChains();
    Order();
    Position();
    Straighten();
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

  // Sorts every layer by the mean place of the neighbours on one side, down and up in turn.
  void Order() {
    std::vector<double> place(vertices_.size());
    const auto number = [&](const std::vector<size_t>& layer) {
      for (size_t i = 0; i < layer.size(); ++i)
        place[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
    };
    for (const std::vector<size_t>& layer : layers_) number(layer);
    std::vector<std::vector<size_t>> best = layers_;
    size_t fewest = Crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      for (size_t k = 0; k < layers_.size(); ++k) {
        std::vector<size_t>& layer = layers_[downwards ? k : layers_.size() - 1 - k];
        for (size_t v : layer) {
          const std::vector<size_t>& near = downwards ? vertices_[v].up : vertices_[v].down;
          if (near.empty()) continue;
          double sum = 0;
          for (size_t n : near) sum += place[n];
          place[v] = sum / static_cast<double>(near.size());
        }
        std::stable_sort(layer.begin(), layer.end(),
                         [&](size_t a, size_t b) { return place[a] < place[b]; });
        number(layer);
      }
      const size_t crossings = Crossings();
      if (crossings < fewest) {
        fewest = crossings;
        best = layers_;
      }
    }
    layers_ = best;
  }

  // Pairs of links between neighbouring layers that cross: inversions, counted by a Fenwick tree.
  size_t Crossings() const {
    std::vector<size_t> place(vertices_.size());
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t i = 0; i < layer.size(); ++i) place[layer[i]] = i;
    }
    size_t crossings = 0;
    for (size_t k = 0; k + 1 < layers_.size(); ++k) {
      std::vector<size_t> tree(layers_[k + 1].size() + 1, 0);
      size_t seen = 0;
      for (size_t v : layers_[k]) {
        for (size_t below : vertices_[v].down) {
          size_t before = 0;
          for (size_t i = place[below] + 1; i > 0; i -= i & -i) before += tree[i];
          crossings += seen - before;
        }
        for (size_t below : vertices_[v].down) {
          for (size_t i = place[below] + 1; i < tree.size(); i += i & -i) ++tree[i];
          ++seen;
        }
      }
    }
    return crossings;
  }

  void Position() {
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t v : layer) {
        vertices_[v].x = x + vertices_[v].width / 2;
        x += vertices_[v].width + kGapX;
      }
      for (size_t v : layer) vertices_[v].x -= x / 2;
    }
    for (int sweep = 0; sweep < kPositionSweeps; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      const bool both = sweep >= kPositionSweeps - 6;
      for (size_t k = 0; k < layers_.size(); ++k)
        PlaceLayer(layers_[downwards ? k : layers_.size() - 1 - k], downwards || both,
                   !downwards || both);
    }
  }

  // Minimizes the sum of w (x - wanted)^2 over the layer, where neighbours keep their distance.
  void PlaceLayer(const std::vector<size_t>& layer, bool look_up, bool look_down) {
    struct Block {
      double wanted, weight;
      size_t count;
    };
    std::vector<Block> blocks;
    std::vector<double> offsets;
    double offset = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Vertex& vertex = vertices_[layer[i]];
      if (i > 0) offset += (vertices_[layer[i - 1]].width + vertex.width) / 2 + kGapX;
      offsets.push_back(offset);
      double sum = 0, weight = 0;
      const auto look = [&](const std::vector<size_t>& near) {
        for (size_t n : near) {
          const double w = vertex.chain && vertices_[n].chain ? kStraightness : 1;
          sum += w * vertices_[n].x;
          weight += w;
        }
      };
      if (look_up) look(vertex.up);
      if (look_down) look(vertex.down);
      // Who has no neighbour there stays, but gives way.
      Block block =
          weight > 0 ? Block{sum / weight - offset, weight, 1} : Block{vertex.x - offset, 0.01, 1};
      while (!blocks.empty() && blocks.back().wanted >= block.wanted) {
        const Block& left = blocks.back();
        const double total = left.weight + block.weight;
        block = {(left.wanted * left.weight + block.wanted * block.weight) / total, total,
                 left.count + block.count};
        blocks.pop_back();
      }
      blocks.push_back(block);
    }
    size_t i = 0;
    for (const Block& block : blocks) {
      for (size_t end = i + block.count; i < end; ++i)
        vertices_[layer[i]].x = block.wanted + offsets[i];
    }
  }

  // Vertices that follow one another with nothing else between them: drawn as a straight line.
  std::vector<std::vector<size_t>> Columns() const {
    std::vector<bool> taken(vertices_.size(), false);
    std::vector<std::vector<size_t>> columns;
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t v : layer) {
        if (taken[v]) continue;
        std::vector<size_t> column = {v};
        for (;;) {
          const Vertex& last = vertices_[column.back()];
          size_t next = vertices_.size();
          for (size_t below : last.down) {
            // A chain goes on as a chain, though other edges leave it.
            const bool follows = last.chain && vertices_[below].chain;
            if (follows || (last.down.size() == 1 && vertices_[below].up.size() == 1)) next = below;
          }
          if (next == vertices_.size()) break;
          column.push_back(next);
          taken[next] = true;
        }
        columns.push_back(std::move(column));
      }
    }
    return columns;
  }

  // Moves each column, where there is room, to one place between what it hangs on.
  void Straighten() {
    std::vector<size_t> place(vertices_.size());
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t i = 0; i < layer.size(); ++i) place[layer[i]] = i;
    }
    const std::vector<std::vector<size_t>> columns = Columns();
    for (int round = 0; round < kStraightenRounds; ++round) {
      for (size_t k = 0; k < columns.size(); ++k) {
        const std::vector<size_t>& column = columns[round % 2 == 0 ? k : columns.size() - 1 - k];
        double low = -std::numeric_limits<double>::infinity(), high = -low, sum = 0;
        size_t count = 0;
        for (size_t v : column) {
          const std::vector<size_t>& layer = layers_[vertices_[v].layer];
          if (place[v] > 0) low = std::max(low, Beside(layer[place[v] - 1], v, 1));
          if (place[v] + 1 < layer.size())
            high = std::min(high, Beside(layer[place[v] + 1], v, -1));
        }
        for (const auto* near : {&vertices_[column.front()].up, &vertices_[column.back()].down}) {
          for (size_t n : *near) sum += vertices_[n].x;
          count += near->size();
        }
        if (low > high || count == 0) continue;
        const double x = std::clamp(sum / static_cast<double>(count), low, high);
        for (size_t v : column) vertices_[v].x = x;
      }
    }
  }

  // Where `v` may be at most, at the right (1) or left (-1) of another vertex.
  double Beside(size_t other, size_t v, int side) const {
    return vertices_[other].x + side * ((vertices_[other].width + vertices_[v].width) / 2 + kGapX);
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
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> paths_;  // per edge: its points
};

}  // namespace

Layout LayOut(const std::vector<Size>& nodes, const std::vector<std::pair<size_t, size_t>>& edges) {
  return Layering(nodes, edges).Run();
}

}  // namespace tessera::views

#include <algorithm>
#include <limits>
#include <utility>

#include "tools/views/layers.h"

namespace tessera::views {
namespace {

constexpr double kStraightness = 8;  // weight of the points of edges against that of boxes
constexpr int kSweeps = 24, kStraightenRounds = 8;

class Placer {
 public:
  Placer(std::vector<Vertex>& vertices, const Layers& layers, double gap)
      : vertices_(vertices), layers_(layers), gap_(gap) {}

  void Run() {
    Position();
    Straighten();
  }

 private:
  void Position() {
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t v : layer) {
        vertices_[v].x = x + vertices_[v].width / 2;
        x += vertices_[v].width + gap_;
      }
      for (size_t v : layer) vertices_[v].x -= x / 2;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      const bool both = sweep >= kSweeps - 6;
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
      if (i > 0) offset += (vertices_[layer[i - 1]].width + vertex.width) / 2 + gap_;
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
    return vertices_[other].x + side * ((vertices_[other].width + vertices_[v].width) / 2 + gap_);
  }

  std::vector<Vertex>& vertices_;
  const Layers& layers_;
  const double gap_;
};

}  // namespace

void PlaceVertices(std::vector<Vertex>& vertices, const Layers& layers, double gap) {
  Placer(vertices, layers, gap).Run();
}

}  // namespace tessera::views

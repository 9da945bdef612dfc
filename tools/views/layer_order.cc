#include <algorithm>
#include <utility>

#include "tools/views/layers.h"

namespace tessera::views {
namespace {

constexpr int kSweeps = 12;

class Orderer {
 public:
  Orderer(const std::vector<Vertex>& vertices, Layers layers)
      : vertices_(vertices), layers_(std::move(layers)) {}

  // Sorts every layer by the mean place of the neighbours on one side, down and up in turn.
  Layers Run() {
    std::vector<double> place(vertices_.size());
    const auto number = [&](const std::vector<size_t>& layer) {
      for (size_t i = 0; i < layer.size(); ++i)
        place[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
    };
    for (const std::vector<size_t>& layer : layers_) number(layer);
    Layers best = layers_;
    size_t fewest = Crossings();
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
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
    return best;
  }

 private:
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

  const std::vector<Vertex>& vertices_;
  Layers layers_;
};

}  // namespace

void OrderLayers(const std::vector<Vertex>& vertices, Layers& layers) {
  layers = Orderer(vertices, std::move(layers)).Run();
}

}  // namespace tessera::views

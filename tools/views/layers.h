// The steps of a layout that work on layers of vertices.
#ifndef TESSERA_TOOLS_VIEWS_LAYERS_H_
#define TESSERA_TOOLS_VIEWS_LAYERS_H_

#include <cstddef>
#include <vector>

namespace tessera::views {

// A box, or a point of an edge that passes a layer.
struct Vertex {
  double width = 0;
  size_t layer = 0;
  bool chain = false;  // such a point
  double x = 0;        // middle
  std::vector<size_t> up, down;
};

// Indices of vertices, from left to right, per layer.
using Layers = std::vector<std::vector<size_t>>;

// Orders every layer so that few links cross.
void OrderLayers(const std::vector<Vertex>& vertices, Layers& layers);

// Sets `x` of every vertex: in the order of its layer, `gap` between neighbours, near what it is
// linked to, straight lines where there is room.
void PlaceVertices(std::vector<Vertex>& vertices, const Layers& layers, double gap);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_LAYERS_H_

// Where the nodes of a directed acyclic graph are drawn: in layers, from top to bottom, after
// Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures"
// (1981). Layers by longest path; an edge over several layers becomes a chain of points, shared by
// the edges of one source; crossings reduced by barycenters; positions by least squares under the
// minimal distances, which pooling adjacent violators solves exactly for one layer.
#ifndef TESSERA_TOOLS_VIEWS_LAYOUT_H_
#define TESSERA_TOOLS_VIEWS_LAYOUT_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::views {

struct Size {
  double width, height;
};

struct Point {
  double x, y;
};

struct Layout {
  std::vector<Point> corners;              // upper left, per node
  std::vector<std::vector<Point>> routes;  // per edge: from the lower side to the upper side
  double width = 0, height = 0;
};

// Each edge goes from a smaller index to a larger one. The same graph gets the same layout. Time is
// linear in nodes and edges times the layers that they span.
Layout LayOut(const std::vector<Size>& nodes, const std::vector<std::pair<size_t, size_t>>& edges);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_LAYOUT_H_

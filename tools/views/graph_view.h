// A graph as it is drawn: one node per input, operation and output. Constants are lines of the
// operations that read them, without their values: weights do not appear in a view.
#ifndef TESSERA_TOOLS_VIEWS_GRAPH_VIEW_H_
#define TESSERA_TOOLS_VIEWS_GRAPH_VIEW_H_

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tessera::views {

struct NodeView {
  enum Kind { kInput, kOperation, kOutput } kind = kOperation;
  enum Change { kSame, kAdded, kChanged } change = kSame;
  int id = -1;                          // of an operation, unique over the graph's life
  std::string title;                    // `Conv`; the name of an input or output
  std::string scope;                    // where it came from
  std::vector<std::string> constants;   // `w f32[16,3,3,3]`
  std::vector<std::string> attributes;  // `strides=[2,2]`
  std::vector<std::string> results;     // `f32[N,16,H,W]`, the shape as expressions
};

struct EdgeView {
  size_t from, to;        // indices of nodes; from < to
  std::string label;      // the type of the value
  bool ordering = false;  // a barrier
};

struct ObligationView {
  std::string op, scope, constraint, message, predicate;
};

struct GraphView {
  std::vector<NodeView> nodes;  // each after those that it reads
  std::vector<EdgeView> edges;
  std::vector<std::string> symbols;  // `H : 1..4096, a multiple of 8`
  std::vector<ObligationView> obligations;
  size_t operations = 0;              // constants among them
  std::map<std::string, int> counts;  // by `dialect.Name`
};

GraphView View(const ir::Graph& graph);

struct RemovedNode {
  std::string title, scope;
};
// Marks the operations of `after` that `before` does not have, or has with other operands,
// attributes or types; returns those that are gone.
std::vector<RemovedNode> Compare(const GraphView& before, GraphView& after);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_GRAPH_VIEW_H_

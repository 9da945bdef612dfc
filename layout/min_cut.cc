#include "layout/min_cut.h"

#include <algorithm>
#include <limits>

namespace tessera::layout {

// Nodes on the side of the source have label 0.
MinCut::MinCut(size_t nodes) : source_(nodes), sink_(nodes + 1), leaving_(nodes + 2) {}

void MinCut::AddArc(size_t from, size_t to, int64_t forth, int64_t back) {
  if (forth == 0 && back == 0) return;
  leaving_[from].push_back(arcs_.size());
  arcs_.push_back({to, forth});
  leaving_[to].push_back(arcs_.size());
  arcs_.push_back({from, back});
}

void MinCut::AddNodeCost(size_t node, int64_t zero, int64_t one) {
  const int64_t common = std::min(zero, one);
  AddArc(source_, node, one - common, 0);
  AddArc(node, sink_, zero - common, 0);
}

void MinCut::AddPairCost(size_t a, size_t b, int64_t zero_one, int64_t one_zero) {
  AddArc(a, b, zero_one, one_zero);
}

bool MinCut::Layer() {
  layer_.assign(leaving_.size(), -1);
  layer_[source_] = 0;
  std::vector<size_t> queue{source_};
  for (size_t at = 0; at < queue.size(); ++at) {
    for (size_t arc : leaving_[queue[at]]) {
      if (arcs_[arc].capacity == 0 || layer_[arcs_[arc].to] >= 0) continue;
      layer_[arcs_[arc].to] = layer_[queue[at]] + 1;
      queue.push_back(arcs_[arc].to);
    }
  }
  return layer_[sink_] >= 0;
}

int64_t MinCut::Push(size_t start, int64_t limit) {
  // The path by which the next unit goes, as arcs: a stack of its own, since networks are deep.
  std::vector<size_t> path;
  size_t node = start;
  while (node != sink_) {
    if (next_[node] == leaving_[node].size()) {
      if (path.empty()) return 0;
      node = arcs_[path.back() ^ 1].to;
      ++next_[node];
      path.pop_back();
      continue;
    }
    const size_t arc = leaving_[node][next_[node]];
    if (arcs_[arc].capacity > 0 && layer_[arcs_[arc].to] == layer_[node] + 1) {
      path.push_back(arc);
      node = arcs_[arc].to;
    } else {
      ++next_[node];
    }
  }
  for (size_t arc : path) limit = std::min(limit, arcs_[arc].capacity);
  for (size_t arc : path) {
    arcs_[arc].capacity -= limit;
    arcs_[arc ^ 1].capacity += limit;
  }
  return limit;
}

std::vector<bool> MinCut::Solve() {
  while (Layer()) {
    next_.assign(leaving_.size(), 0);
    while (Push(source_, std::numeric_limits<int64_t>::max()) > 0) {
    }
  }
  std::vector<bool> labels(source_);
  for (size_t node = 0; node < source_; ++node) labels[node] = layer_[node] < 0;
  return labels;
}

}  // namespace tessera::layout

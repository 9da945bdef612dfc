#include "frontends/onnx/node_order.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"

namespace tessera::onnx_import {
namespace {

void AppendReads(const onnx::NodeProto& node, std::vector<absl::string_view>& reads);

// Depth is bounded by what the wire walk accepted.
void AppendReads(const onnx::GraphProto& graph, std::vector<absl::string_view>& reads) {
  std::vector<absl::string_view> inner;
  for (const auto& node : graph.node()) AppendReads(node, inner);
  for (const auto& output : graph.output()) inner.push_back(output.name());
  absl::flat_hash_set<absl::string_view> defined;
  for (const auto& input : graph.input()) defined.insert(input.name());
  for (const auto& tensor : graph.initializer()) defined.insert(tensor.name());
  for (const auto& node : graph.node()) defined.insert(node.output().begin(), node.output().end());
  for (absl::string_view name : inner) {
    if (!name.empty() && !defined.contains(name)) reads.push_back(name);
  }
}

void AppendReads(const onnx::NodeProto& node, std::vector<absl::string_view>& reads) {
  for (const std::string& input : node.input()) {
    if (!input.empty()) reads.push_back(input);
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) AppendReads(attribute.g(), reads);
    for (const auto& graph : attribute.graphs()) AppendReads(graph, reads);
  }
}

}  // namespace

std::vector<absl::string_view> ReadBy(const onnx::NodeProto& node) {
  std::vector<absl::string_view> reads;
  AppendReads(node, reads);
  return reads;
}

NodeOrder OrderNodes(const NodeProtos& nodes, const Producers& producers) {
  // Depth first, with the path from a node down to a producer kept explicitly: a chain may be as
  // long as the model.
  enum State : uint8_t { kNew, kOnPath, kDone };
  struct Step {
    int node;
    std::vector<int> producers;  // still to be visited, last first
  };
  const auto producers_of = [&](int node) {
    std::vector<int> indices;
    for (absl::string_view name : ReadBy(nodes[node])) {
      if (auto it = producers.find(name); it != producers.end()) indices.push_back(it->second);
    }
    std::reverse(indices.begin(), indices.end());
    return indices;
  };

  NodeOrder result;
  std::vector<State> state(nodes.size(), kNew);
  std::vector<bool> in_cycle(nodes.size(), false);
  std::vector<Step> path;
  // Tracing walks the path back, and a hostile graph has very many cycles. The first one traced is
  // always kept.
  constexpr int kMaxCyclesTraced = 64;
  int cycles_traced = 0;
  for (int root = 0; root < nodes.size(); ++root) {
    if (state[root] != kNew) continue;
    state[root] = kOnPath;
    path.push_back({root, producers_of(root)});
    while (!path.empty()) {
      if (path.back().producers.empty()) {
        state[path.back().node] = kDone;
        result.order.push_back(path.back().node);
        path.pop_back();
        continue;
      }
      const int next = path.back().producers.back();
      path.back().producers.pop_back();
      if (state[next] == kNew) {
        state[next] = kOnPath;
        path.push_back({next, producers_of(next)});
      } else if (state[next] == kOnPath && cycles_traced < kMaxCyclesTraced) {
        ++cycles_traced;
        std::vector<int> cycle;
        for (size_t i = path.size(); i-- > 0;) {
          cycle.push_back(path[i].node);
          if (path[i].node == next) break;
        }
        std::reverse(cycle.begin(), cycle.end());
        if (std::none_of(cycle.begin(), cycle.end(), [&](int node) { return in_cycle[node]; })) {
          for (int node : cycle) in_cycle[node] = true;
          result.cycles.push_back(std::move(cycle));
        }
      }
    }
  }
  return result;
}

}  // namespace tessera::onnx_import

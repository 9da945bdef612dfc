// The order in which the nodes of one graph or function body are imported.
#ifndef TESSERA_FRONTENDS_ONNX_NODE_ORDER_H_
#define TESSERA_FRONTENDS_ONNX_NODE_ORDER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

using NodeProtos = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

struct NodeOrder {
  // Indices of all nodes, each after the producers of what it reads, subgraphs included; file order
  // where that already is one. Nodes of a cycle are there too, at the point where the cycle was
  // met.
  std::vector<int> order;
  // Disjoint cycles, each node reading from the one after it. Not every cycle, but none empty if
  // there is any.
  std::vector<std::vector<int>> cycles;
};

// Which node, by index, defines a name.
using Producers = absl::flat_hash_map<absl::string_view, int>;

NodeOrder OrderNodes(const NodeProtos& nodes, const Producers& producers);

// The values that `node` reads from the graph it stands in: its inputs, and what its subgraphs read
// and do not define. May repeat; none is empty.
std::vector<absl::string_view> ReadBy(const onnx::NodeProto& node);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_NODE_ORDER_H_

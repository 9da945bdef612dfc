// Addresses of operations. A node's is a path of modules, then the operation and its number among
// those of that name there: `Net/Sequential[body]/Conv2d[0]/conv2d_0` where the exporter left the
// classes of modules (PyTorch's `pkg.torch.onnx.*`), else what the node's name says:
// `body/body.0/Conv_0`. An operation that is one of several that a node was imported as has its own
// name behind that: `norm/LayerNormalization_0/Mul_1`.
#ifndef TESSERA_PASSES_COMPRESSION_SCOPES_ADDRESS_H_
#define TESSERA_PASSES_COMPRESSION_SCOPES_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph.h"
#include "passes/compression/scopes/source.h"

namespace tessera::compression {

struct Address {
  std::string scope;  // empty: a constant, or of no node of the main graph
  const SourceNode* node = nullptr;
};

class Addresses {
 public:
  // Both must outlive this.
  Addresses(const ir::Graph& graph, const Source& source);

  const Address& Of(const ir::Operation& op) const;
  const Source& source() const { return source_; }
  // Of all operations that have one, in the graph's order.
  std::vector<std::string> Scopes() const;
  // The tensor that the node reads (or makes) and that is this value; empty: it stands in no file.
  std::string TensorRead(const Address& address, const ir::Value& value) const;
  std::string TensorMade(const Address& address, const ir::Value& value) const;
  // A tensor of the file that is this value, whoever reads it; empty: none.
  std::string TensorOf(const ir::Value& value) const;

 private:
  std::string TensorAmong(const std::vector<std::string>& tensors, const ir::Value& value) const;

  const ir::Graph& graph_;
  const Source& source_;
  absl::flat_hash_map<int, Address> by_operation_;
  absl::flat_hash_map<int, std::string> tensors_;  // by value
};

// The addresses of nodes alone, one per node; unique.
std::vector<std::string> NodeScopes(const std::vector<SourceNode>& nodes);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SCOPES_ADDRESS_H_

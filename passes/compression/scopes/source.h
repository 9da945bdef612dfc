// The nodes of a file as far as addresses are made of them; filled by whoever reads the file.
#ifndef TESSERA_PASSES_COMPRESSION_SCOPES_SOURCE_H_
#define TESSERA_PASSES_COMPRESSION_SCOPES_SOURCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tessera::compression {

struct SourceNode {
  std::string name;     // as locations have it; made up where the file has none
  std::string op_type;  // `Conv`
  std::vector<std::string> inputs, outputs;     // tensors; empty: absent
  std::map<std::string, std::string> metadata;  // what an exporter left beside the node
  std::map<std::string, int64_t> integers;      // attributes
};

struct Source {
  int64_t opset = 0;              // version of ONNX's own operator set
  std::vector<SourceNode> nodes;  // of the main graph, in the file's order
  // Values of the imported graph by the tensor that each stands for; several tensors may be one
  // value, where a node changes nothing.
  absl::flat_hash_map<std::string, int> values;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SCOPES_SOURCE_H_

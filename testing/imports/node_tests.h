// Nodes that others wrote, with values of their inputs and outputs: tests of single operators.
#ifndef TESSERA_TESTING_IMPORTS_NODE_TESTS_H_
#define TESSERA_TESTING_IMPORTS_NODE_TESTS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"

namespace tessera::testing {

struct NodeTest {
  std::string name;        // `node/test_relu`, or the line where it stands
  onnx::ModelProto model;  // one node without subgraphs; its inputs and outputs are tensors
  // Of the graph's inputs, in its order; absent: any.
  std::vector<std::optional<onnx::TensorProto>> inputs;
  std::vector<onnx::TensorProto> outputs;  // all, or none are known
};

// By domain (`ai.onnx` for ONNX's own) and operator, by name.
using NodeTests = std::map<std::pair<std::string, std::string>, std::vector<NodeTest>>;

// Adds those of a folder that is laid out as ONNX's backend tests are; other models in it are left
// out. Error: a file that is no model or no tensor, or no model at all.
absl::Status ReadNodeTests(const std::string& folder, NodeTests& tests);

// Adds models in ONNX's text form (onnx/defs/parser.h), a blank line between them; `name` stands
// for the file in errors. Values are those of initializers alone.
absl::Status ParseNodeTests(const std::string& text, const std::string& name, NodeTests& tests);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_NODE_TESTS_H_

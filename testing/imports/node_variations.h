// Nodes near those that others wrote: legal ones, and what small edits make of them.
#ifndef TESSERA_TESTING_IMPORTS_NODE_VARIATIONS_H_
#define TESSERA_TESTING_IMPORTS_NODE_VARIATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"
#include "testing/imports/node_tests.h"
#include "testing/imports/node_values.h"
#include "testing/onnx_schemas.h"
#include "testing/sampling/random.h"

namespace tessera::testing {

// A model of one node, with values for its inputs where they are known.
struct Variation {
  onnx::ModelProto model;
  std::vector<std::optional<onnx::TensorProto>> inputs;  // of the graph's inputs, in its order
};

class NodeVariations {
 public:
  // `tests` of the operator, in any of its versions; all must outlive the object.
  NodeVariations(const Schema& schema, const std::vector<NodeTest>& tests, const Words& words,
                 uint64_t seed);

  // How many are worth while.
  int count() const { return count_; }

  // At first each test as it is, but for what this version of the schema does not have; some of
  // their inputs are constants. Then other attributes, shapes, types and values, legal or not. The
  // same ones for the same seed.
  Variation Next();

 private:
  struct Value {
    std::string name;
    int type = 0;
    std::vector<int64_t> shape;
    std::optional<onnx::TensorProto> data;
    bool constant = false;
  };
  struct Node {
    std::vector<onnx::AttributeProto> attributes;
    std::vector<Value> inputs;  // an empty name: left out
    int outputs = 1;
  };

  Node NodeOf(const NodeTest& test);
  Variation ModelOf(const Node& node) const;
  void Edit(Node& node);
  void EditAttribute(Node& node);
  void EditValueOf(onnx::AttributeProto& attribute);
  void EditShape(Node& node);
  void EditType(Node& node);
  void EditPresence(Node& node);
  void EditElement(Node& node);
  const SchemaValue* SchemaOf(size_t input) const;

  const Schema& schema_;
  const std::vector<NodeTest>& tests_;
  const Words& words_;
  Random random_;
  int count_ = 0;
  size_t next_ = 0;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_NODE_VARIATIONS_H_

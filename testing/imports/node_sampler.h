// Models of one node, made from the schema of an ONNX operator and the examples of a definition.
#ifndef TESSERA_TESTING_IMPORTS_NODE_SAMPLER_H_
#define TESSERA_TESTING_IMPORTS_NODE_SAMPLER_H_

#include <string>
#include <vector>

#include "codegen/support/examples.h"
#include "onnx/onnx_pb.h"
#include "testing/imports/node_values.h"
#include "testing/onnx_schemas.h"
#include "testing/sampling/random.h"

namespace tessera::testing {

class NodeSampler {
 public:
  // `examples` of the definitions that a node may become; none are needed.
  NodeSampler(const Schema& schema, const std::vector<const ops::Example*>& examples,
              const Words& words, uint64_t seed);

  // False: an attribute that the schema requires is of a kind that is not made here.
  bool possible() const { return possible_; }

  // Legal or not, mostly small. The same ones for the same seed.
  onnx::ModelProto Next();

 private:
  void AddInput(const SchemaValue& value, size_t index, const ops::Example* example,
                onnx::GraphProto& graph, onnx::NodeProto& node);

  const Schema& schema_;
  const std::vector<const ops::Example*>& examples_;
  const Words& words_;
  Random random_;
  std::vector<std::pair<std::string, int>> types_;  // of variables, in the node that is made
  bool possible_ = true;
};

// The same model with every attribute spelled whose default the schema states; attributes that are
// there stay.
onnx::ModelProto Spelled(const onnx::ModelProto& model, const Schema& schema);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_NODE_SAMPLER_H_

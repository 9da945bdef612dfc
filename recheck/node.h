// A node of the model, as the clauses of definitions see it.
#ifndef TESSERA_RECHECK_NODE_H_
#define TESSERA_RECHECK_NODE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"
#include "recheck/attribute.h"
#include "recheck/value.h"

namespace tessera::recheck {

using Attributes = std::map<std::string, const onnx::AttributeProto*>;

struct NodeContext {
  std::string name;  // with the scopes around it
  std::string op;
  std::string folder;  // of the model
  int64_t opset = 0;
  std::vector<TensorPtr> inputs;  // null: absent
  int outputs = 0;
  std::vector<bool> wanted;  // of each output, whether something reads it
  Attributes attributes;
  std::optional<Arguments> arguments;  // of a call of a program, which has no attributes
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_NODE_H_

// What a model editor knows of its file.
#ifndef TESSERA_FRONTENDS_ONNX_EDIT_EDITOR_STATE_H_
#define TESSERA_FRONTENDS_ONNX_EDIT_EDITOR_STATE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "frontends/onnx/edit/model_editor.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

struct ModelEditor::State {
  onnx::ModelProto model;
  std::vector<FileNode> nodes;
  std::vector<onnx::NodeProto> current;                     // by index
  std::vector<std::vector<onnx::NodeProto>> before, after;  // added
  std::vector<onnx::NodeProto> last;
  absl::flat_hash_set<std::string> taken;              // names of tensors and nodes
  absl::flat_hash_map<std::string, int> initializers;  // by name
  std::set<std::string> removed;

  onnx::GraphProto& graph() { return *model.mutable_graph(); }
  void Index();
  // Names that graphs within nodes read of this one.
  absl::flat_hash_set<std::string> from_within;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_EDIT_EDITOR_STATE_H_

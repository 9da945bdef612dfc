// A model file, changed in place: what is not touched stays as the user wrote it (names, metadata,
// the order of nodes, other opsets). Knows the format and no operator.
#ifndef TESSERA_FRONTENDS_ONNX_EDIT_MODEL_EDITOR_H_
#define TESSERA_FRONTENDS_ONNX_EDIT_MODEL_EDITOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"

namespace tessera::onnx_import {

// A node of the main graph.
struct FileNode {
  std::string name;  // as locations have it: made up where the file has none
  std::string op_type, domain;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::string> metadata;
  std::map<std::string, int64_t> integers;  // attributes
};

struct NewNode {
  using Attribute =
      std::pair<std::string, std::variant<int64_t, std::vector<int64_t>, std::string>>;
  std::string op_type, domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> attributes;
  int attributes_of = -1;  // and those of that node
};

class ModelEditor {
 public:
  // Reads the whole file and, into the model, what it keeps in files beside it. Errors: not a
  // model, larger than protobuf holds (2 GB).
  static absl::StatusOr<ModelEditor> Open(const std::string& path);
  static absl::StatusOr<ModelEditor> Parse(std::string_view bytes, const std::string& name);
  ModelEditor(ModelEditor&&) noexcept;
  ModelEditor& operator=(ModelEditor&&) noexcept;
  ~ModelEditor();

  // In the file's order; indices stay what they are while nodes are added.
  const std::vector<FileNode>& nodes() const;
  // -1: none. Where names are not unique, the one that makes or reads `tensor`.
  int Find(const std::string& name, const std::string& tensor) const;
  // Version of an operator set that the model imports; 0: it does not.
  int64_t Opset(const std::string& domain) const;
  // Makes it at least that; only for domains of which nothing else changes with the version.
  void RequireOpset(const std::string& domain, int64_t version);

  // `base`, or `base_2` and so on: used by no tensor and no node.
  std::string Fresh(const std::string& base);
  bool IsInitializer(const std::string& tensor) const;
  // Error: an element type that the format has not.
  absl::Status AddInitializer(const std::string& name, const ir::Tensor& tensor);
  // Also where it is the output of a node without inputs (a constant).
  absl::Status ReplaceConstant(const std::string& name, const ir::Tensor& tensor);

  // The node's inputs that are `from` become `to`; false if there is none.
  bool RenameInput(int node, const std::string& from, const std::string& to);
  void SetInput(int node, int index, const std::string& tensor);  // may be one behind the last
  void RenameOutput(int node, const std::string& from, const std::string& to);
  void SetAttribute(int node, const std::string& name, std::vector<int64_t> values, bool list);
  // Stands before `node`, behind those that were added there earlier.
  void AddBefore(int node, const NewNode& added);
  void AddAfter(int node, const NewNode& added);
  // At the end: of a tensor that only the graph's outputs read.
  void AddLast(const NewNode& added);
  // The same place and results; operator, inputs and attributes are new.
  void Replace(int node, const NewNode& with);
  // Nodes of the main graph that read it; whether a graph in a node does is another matter.
  std::vector<int> ReadersOf(const std::string& tensor) const;
  bool ReadBySubgraph(const std::string& tensor) const;
  bool IsOutput(const std::string& tensor) const;

  // Of tensors between nodes the file says element types alone from here on: sizes that an exporter
  // left may no longer hold.
  void ForgetSizes();
  // Removes those of these tensors that nothing reads, and what they alone were made of.
  void RemoveUnread(absl::Span<const std::string> tensors);
  // The same bytes for the same model and edits.
  absl::StatusOr<std::string> Serialize() const;

 private:
  struct State;
  explicit ModelEditor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_EDIT_MODEL_EDITOR_H_

// One graph of a file while it is being made of operations.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_GRAPH_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_GRAPH_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/circle/file/model.h"
#include "targets/size_facts.h"

namespace tessera::circle {

class GraphEmitter {
 public:
  explicit GraphEmitter(std::string name) { graph_.name = std::move(name); }

  // How many there will be, which is no more than a guess.
  void Expect(size_t tensors, size_t operators);

  // The operator of an operation, with tensors for its results. Constants become tensors where they
  // are read. Error (Internal): an operation without code, or an operand that is not computed here.
  absl::Status Append(const ir::Operation& op);
  void Append(FileOperator op) { graph_.operators.push_back(std::move(op)); }

  // The tensor that holds a value, which is a new one for constants that have none here; `name`
  // is for that. Error as above.
  absl::StatusOr<int32_t> Read(const ir::Value& value, const std::string& name);
  // A new tensor for a value, under its own name or else `name`, made unique. A constant comes with
  // its elements.
  int32_t Add(const ir::Value& value, const std::string& name);
  // One that holds no value.
  int32_t AddUnnamed(const ir::TensorType& type, const std::string& name);
  // That a value is in a tensor.
  void Bind(const ir::Value& value, int32_t tensor) { tensors_[&value] = tensor; }
  // What applications know: the name of a value is not made unique, and no other has it.
  void Reserve(const ir::Value* value, const std::string& name);

  FileGraph& graph() { return graph_; }
  // The sizes that data decide, with the tensors that hold them.
  std::vector<targets::CountedSize> counted() const;
  FileGraph Take() && { return std::move(graph_); }

 private:
  std::string Unique(const std::string& name);
  FileTensor& TensorAt(int32_t index) { return graph_.tensors[static_cast<size_t>(index)]; }
  // What `op` reads as its operand, with what it takes the tensor to be quantized by.
  absl::StatusOr<int32_t> ReadAs(const ir::Operation& op, const ir::Value& value,
                                 std::string_view operand, const std::string& name);
  // A tensor of the same integers, which stand for other numbers.
  int32_t Reinterpreted(int32_t tensor, const ir::TensorType& type, const FileQuantization& by,
                        const std::string& name);
  // The result of an operator that moves elements is quantized by what its operand is, and so are
  // constants among the elements.
  void Move(const ir::Operation& op, FileOperator& file_op, int32_t result);

  FileGraph graph_;
  std::vector<std::pair<std::string, int32_t>> counted_;  // symbols, tensors
  absl::flat_hash_map<const ir::Value*, int32_t> tensors_;
  absl::flat_hash_map<const ir::Value*, std::string> reserved_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_map<std::string, int> repeats_;
  absl::flat_hash_set<int32_t> as_stored_;  // tensors that must not become quantized
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_GRAPH_H_

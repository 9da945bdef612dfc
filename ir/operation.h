// Operations. Attributes are primary: there is no setter; to change one, build a new operation
// through the Rewriter.
#ifndef TESSERA_IR_OPERATION_H_
#define TESSERA_IR_OPERATION_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/attribute.h"
#include "ir/digest.h"
#include "ir/location.h"
#include "ir/op_info.h"
#include "ir/value.h"

namespace tessera::ir {

class Operation {
 public:
  const OpInfo& info() const { return *info_; }
  int id() const { return id_; }
  // Null: absent optional; trailing ones are cut.
  absl::Span<Value* const> operands() const { return operands_; }
  Value* operand(size_t i) const { return i < operands_.size() ? operands_[i] : nullptr; }
  absl::Span<Value* const> results() const { return results_; }
  Value* result(size_t i = 0) const { return results_[i]; }
  absl::Span<const Attribute> attrs() const { return attrs_; }
  const Attribute& attr(size_t i) const { return attrs_[i]; }
  const Location& location() const { return location_; }
  absl::Span<Value* const> barriers() const { return barriers_; }  // barrier operands
  Value* barrier() const { return barrier_; }  // the barrier it yields; null until asked for
  const Tensor* payload() const { return payload_.get(); }  // of a constant
  const Digest& payload_digest() const;  // of a constant; computed when first asked for
  // Which constant of its graph it is, whatever it holds; as unlike others as digests are.
  Digest payload_place() const;

 private:
  friend class Graph;
  friend class GraphBreaker;
  friend class GraphVerifier;
  friend class OperationList;
  friend class Rewriter;
  Operation() = default;

  const OpInfo* info_ = nullptr;
  int id_ = 0;
  std::vector<Value*> operands_;
  std::vector<Value*> results_;
  std::vector<Value*> barriers_;
  // Where operand i is among the uses of its value, so that a use is taken away in constant time.
  std::vector<int> operand_slots_;
  std::vector<int> barrier_slots_;
  Value* barrier_ = nullptr;
  std::vector<Attribute> attrs_;
  Location location_;
  std::unique_ptr<Tensor> payload_;
  mutable std::unique_ptr<Digest> payload_digest_;  // null until asked for
  int inferences_ = 0;                              // how often its results have been inferred
  bool has_obligations_ = false;
  Operation* previous_ = nullptr;  // in the graph's list
  Operation* next_ = nullptr;
  uint64_t order_ = 0;  // increases along the list
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_OPERATION_H_

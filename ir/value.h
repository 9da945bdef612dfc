// Values: tensors and barriers. A use is a pair (operation, operand index).
#ifndef TESSERA_IR_VALUE_H_
#define TESSERA_IR_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/progression.h"
#include "ir/tensor.h"
#include "ir/type.h"

namespace tessera::ir {

class Operation;
class Graph;
class Rewriter;
class GraphBreaker;  // of tests: breaks what Verify must find

struct Use {
  Operation* op;
  int index;  // into op->operands(), or into op->barriers() for a barrier
  friend bool operator==(const Use&, const Use&) = default;
};

class Value {
 public:
  enum class Kind : uint8_t { kTensor, kBarrier };

  Kind kind() const { return kind_; }
  int id() const { return id_; }  // unique in the graph, never reused
  const std::string& name() const {
    return name_;
  }  // a hint for printing and for artifacts; may be empty
  const TensorType& type() const { return type_; }   // of a tensor
  Operation* producer() const { return producer_; }  // null for an input of the graph
  int result_index() const { return result_index_; }
  absl::Span<const Use> UsesUnsorted() const { return uses_; }
  bool is_graph_output() const { return !outputs_.empty(); }
  // Which outputs of the graph it is, in no order.
  absl::Span<const int> OutputsUnsorted() const { return outputs_; }

  // The tensor, if this is the result of a constant.
  const Tensor* constant() const;
  // The values of a small integer or bool tensor as expressions, where they are known (row-major);
  // null otherwise.
  const std::vector<Expr>* elements() const { return elements_ ? elements_.get() : nullptr; }
  // How the values follow the index along axes of symbolic size, where that is known; null
  // otherwise.
  const Progression* progression() const { return progression_.get(); }

 private:
  friend class Graph;
  friend class Operation;
  friend class Rewriter;
  friend class GraphBreaker;
  friend class GraphVerifier;
  Value(Kind kind, int id) : kind_(kind), id_(id) {}

  Kind kind_;
  int id_;
  std::string name_;
  TensorType type_;
  Operation* producer_ = nullptr;
  int result_index_ = 0;
  std::vector<int> outputs_;
  std::vector<Use> uses_;
  std::unique_ptr<std::vector<Expr>> elements_;
  std::unique_ptr<Progression> progression_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_VALUE_H_

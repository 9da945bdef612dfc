// A graph owns its values, operations, symbols and open obligations. It changes only through a
// Rewriter.
#ifndef TESSERA_IR_GRAPH_H_
#define TESSERA_IR_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/operation.h"
#include "ir/value.h"
#include "solver/expr.h"

namespace tessera::ir {

// What the definitions require and the expressions alone could not decide: for the prover, and
// checked by executors at run time.
struct Obligation {
  std::string op;  // op name
  Location location;
  std::string constraint;  // id
  std::string message;     // the `else` text, filled in
  Expr predicate;          // 0/1-valued
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;

  solver::Context& context() { return *context_; }
  const solver::Context& context() const { return *context_; }

  const std::vector<Value*>& inputs() const { return inputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  const std::vector<std::string>& output_names() const { return output_names_; }
  // All operations, each after the producers of its operands.
  std::vector<Operation*> TopologicalOrder() const;
  size_t operation_count() const { return operation_count_; }
  const std::vector<Obligation>& obligations() const { return obligations_; }

  // A hash of everything that the text form shows except value names and locations; constants by
  // content digest. Equal for equal graphs.
  uint64_t Fingerprint() const;

 private:
  friend class Rewriter;
  std::unique_ptr<solver::Context> context_;
  std::vector<std::unique_ptr<Value>> values_;          // null: erased
  std::vector<std::unique_ptr<Operation>> operations_;  // null: erased
  std::vector<Value*> inputs_, outputs_;
  std::vector<std::string> output_names_;
  std::vector<Obligation> obligations_;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  size_t operation_count_ = 0;
};

// Links coherent, no cycle, types and constraints hold, every output produced, names of inputs and
// outputs unique, every input reaches an output (those that do not are listed in `unreached`, which
// is not an error). The error lists every problem, each with the operation's printed line.
absl::Status Verify(const Graph& graph, std::vector<const Value*>* unreached = nullptr);

}  // namespace tessera::ir

#endif  // TESSERA_IR_GRAPH_H_

// A graph owns its values, operations, symbols and open obligations. It changes only through a
// Rewriter.
#ifndef TESSERA_IR_GRAPH_H_
#define TESSERA_IR_GRAPH_H_

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ir/operation.h"
#include "ir/operation_list.h"
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
  std::string by;          // Verdict::by of its proof; empty: open
  // Id of the operation it goes away with; -1: it stays, whatever is erased.
  int owner = -1;
  // The inference of the owner's results that it came from; 0: it outlives later inferences.
  int inference = 0;
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
  size_t operation_count() const { return list_.size(); }
  // Those of erased operations and of superseded inferences are not among them.
  const std::vector<Obligation>& obligations() const;
  // The constraints over symbols that were proved as operations were built and inferred anew, each
  // once, without messages; also of operations that are erased since. What was refuted is no graph.
  const std::vector<Obligation>& proved() const { return proved_; }

  // A hash of everything that the text form shows except value names and locations; constants by
  // content digest. Equal for equal graphs.
  uint64_t Fingerprint() const;
  // The same for a graph and what became of it, without going through large constants: one that was
  // made anew is another. Costs little where nothing was changed since it was last asked for.
  uint64_t State() const;

 private:
  friend class GraphBreaker;
  friend class GraphVerifier;
  friend class Rewriter;

  uint64_t HashSizes() const;  // symbols and what is known of them
  uint64_t HashOperations(bool by_contents) const;

  std::unique_ptr<solver::Context> context_;
  std::vector<std::unique_ptr<Value>> values_;          // by id; null: erased
  std::vector<std::unique_ptr<Operation>> operations_;  // by id; null: erased
  OperationList list_;
  std::vector<Value*> inputs_, outputs_;
  std::vector<std::string> output_names_;
  absl::flat_hash_set<std::string> taken_input_names_, taken_output_names_;
  // Dead ones are swept out when somebody looks: an erasure costs the same however many there are.
  mutable std::vector<Obligation> obligations_;
  mutable bool obligations_stale_ = false;
  std::vector<Obligation> proved_;
  uint64_t revision_ = 0;  // counts the changes of all but the context
  mutable uint64_t hashed_revision_ = ~uint64_t{0}, hashed_ = 0;
  absl::flat_hash_set<std::tuple<std::string, const void*, std::string>> proved_keys_;
};

// Links coherent, no cycle, types and constraints hold, every output produced, names of inputs and
// outputs unique, every input reaches an output (those that do not are listed in `unreached`, which
// is not an error). The error lists every problem, each with the operation's printed line.
absl::Status Verify(const Graph& graph, std::vector<const Value*>* unreached = nullptr);

}  // namespace tessera::ir

#endif  // TESSERA_IR_GRAPH_H_

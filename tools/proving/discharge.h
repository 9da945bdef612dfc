// The obligations of a graph, handed to the prover.
#ifndef TESSERA_TOOLS_PROVING_DISCHARGE_H_
#define TESSERA_TOOLS_PROVING_DISCHARGE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "solver/prove.h"

namespace tessera::proving {

// What was proved of a graph while it was compiled, and what its artifact must check.
struct Entry {
  std::string stage;  // "import", or the target whose lowering incurred it
  ir::Obligation obligation;
  bool guarded = false;  // undecided: the artifact checks it at run time
};

class Ledger {
 public:
  // Proves what is open in `graph`, which then holds only what neither the expressions nor Z3
  // decide, and takes over what was proved since the last call as of `stage`. Divisors that no fact
  // makes positive are obligations too (`positive.divisor`). Error, InvalidArgument: one line for
  // each obligation that is refuted, with the sizes that break it and a remedy, or, without
  // `guards`, undecided, with what is left to prove. `file` begins each line. What mends the first
  // of them is attached (solver/remedy.h).
  absl::Status Discharge(ir::Graph& graph, solver::Prover& prover, const std::string& stage,
                         bool guards, const std::string& file);

  // In the order of their proofs; then, after Finish, what is left in the graph as guards. Symbols
  // that are made later (of the axes of a target's kernels) are none of the network.
  void Finish(const ir::Graph& graph, const std::string& stage);
  const std::vector<Entry>& entries() const { return entries_; }
  size_t CountOf(bool guarded) const;
  // Indices and the like that data decide, and that need not lie where the ops want them: executors
  // look at them. One line each.
  const std::vector<std::string>& data_indices() const { return data_indices_; }
  size_t symbols() const { return symbols_; }  // of the graph's context, the first so many

 private:
  std::vector<Entry> entries_;
  std::vector<std::string> data_indices_;
  size_t symbols_ = static_cast<size_t>(-1);
  size_t taken_ = 0;            // of graph.proved()
  size_t divisors_proved_ = 0;  // of Context::unproved_divisors()
};

// The same for who keeps no ledger, as onnx_import::ImportOptions::check wants it; what is
// undecided is left to executors.
std::function<absl::Status(ir::Graph&)> ShapeCheck(std::string file);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_DISCHARGE_H_

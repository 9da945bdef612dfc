// Indices that data decide, of which it is known between which sizes they lie.
#ifndef TESSERA_TOOLS_PROVING_DATA_INDICES_H_
#define TESSERA_TOOLS_PROVING_DATA_INDICES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/operation.h"
#include "ir/rewriter.h"
#include "nests/element_ranges.h"

namespace tessera::proving {

class DataIndices {
 public:
  explicit DataIndices(ir::Graph& graph) : graph_(graph), ranges_(graph.context()) {}

  // Adds to what is proved of the graph what the op requires of the elements of an operand, where
  // it holds of all that they can be. Otherwise what is left, as text: executors look at them.
  std::string Prove(const ir::Operation& op, size_t operand, ir::Rewriter& rewriter);

 private:
  // The elements, in rows, that all others lie between; empty: not known.
  std::vector<solver::Expr> EndsOf(const ir::Value& value);

  ir::Graph& graph_;
  nests::ElementRanges ranges_;
};

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_DATA_INDICES_H_

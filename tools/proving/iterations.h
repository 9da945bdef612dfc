// The positions of loops whose length follows from sizes: what is computed from them is read at the
// first iteration, at the last one, and at some between.
#ifndef TESSERA_TOOLS_PROVING_ITERATIONS_H_
#define TESSERA_TOOLS_PROVING_ITERATIONS_H_

#include <string>
#include <vector>

#include "ir/graph.h"
#include "nests/positions.h"

namespace tessera::proving {

// The number of an iteration of a loop of `length`, as a symbol of the same context.
struct Iteration {
  std::string name;
  solver::Expr length;
};

class Iterations {
 public:
  // Those of loops without a condition.
  explicit Iterations(const ir::Graph& graph);

  // Makes each a symbol of the context of `positions`.
  std::vector<Iteration> Let(nests::Positions& positions) const;

 private:
  struct Begin {
    const ir::Value* position;
    solver::Expr length;
  };
  std::vector<Begin> begins_;
};

// These elements at the first and the last iteration of each, and where they do not grow by the
// same from one to the next, at some between; 0 where there is none. Empty: they would be too many.
std::vector<solver::Expr> AtIterations(const std::vector<Iteration>& iterations,
                                       std::vector<solver::Expr> elements);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_ITERATIONS_H_

// What a computation costs, as expressions of sizes.
#ifndef TESSERA_NESTS_COST_H_
#define TESSERA_NESTS_COST_H_

#include <string>

#include "nests/nest.h"

namespace tessera::nests {

struct Cost {
  Expr bytes_read = 0;     // of operands that are read, each once
  Expr bytes_written = 0;  // of results
  Expr bytes_scratch = 0;  // of temps
  Expr loads = 0;          // elements read, as often as they are
  Expr flops = 0;          // element functions of floats and steps of their reductions
  Expr integer_ops = 0;    // the same of integers and truth values; index arithmetic is free
};

Cost CostOf(const Computation& computation);
std::string ToString(const Cost& cost);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_COST_H_

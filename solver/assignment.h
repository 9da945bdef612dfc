// How sizes are named in messages.
#ifndef TESSERA_SOLVER_ASSIGNMENT_H_
#define TESSERA_SOLVER_ASSIGNMENT_H_

#include <string>
#include <vector>

#include "solver/expr.h"

namespace tessera::solver {

// `H=33, W=2`, by name; empty where there are none.
std::string ToText(const Assignment& sizes);
// The same of these symbols, in their order; those without a value are left out.
std::string ToText(const Assignment& sizes, const std::vector<std::string>& symbols);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_ASSIGNMENT_H_

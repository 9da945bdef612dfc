// What an op's definition requires of an operand, if these are elements that all others lie
// between.
#ifndef TESSERA_TOOLS_PROVING_REQUIREMENTS_H_
#define TESSERA_TOOLS_PROVING_REQUIREMENTS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "ir/operation.h"
#include "solver/expr.h"

namespace tessera::proving {

// Not as it was computed, which speaks of axes: as it is.
solver::Expr Plain(solver::Context& context, const solver::Expr& e);

struct Required {
  absl::Status status;
  std::vector<ir::Obligation> open, proved;
};
Required Infer(const ir::Operation& op, size_t operand, const std::vector<solver::Expr>& extremes,
               solver::Context& context);

// Whether something is divided by what may be 0, unless `context` knows of it.
bool Divides(const solver::Context& copy, const solver::Context& context);

// Whether the definition requires anything of the elements of the operand: no axis has such an
// index.
bool Asks(const ir::Operation& op, size_t operand, solver::Context& context);

bool Has(const std::vector<ir::Obligation>& list, const ir::Obligation& obligation);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_REQUIREMENTS_H_

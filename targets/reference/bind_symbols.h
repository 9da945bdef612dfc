// From the shapes of actual inputs to the values of a graph's symbols.
#ifndef TESSERA_TARGETS_REFERENCE_BIND_SYMBOLS_H_
#define TESSERA_TARGETS_REFERENCE_BIND_SYMBOLS_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "solver/expr.h"

namespace tessera::reference {

// One tensor per input of the graph. A dim may be a constant, a symbol, or affine in one symbol
// that no other dim gives; whatever it is, it must evaluate to the size seen. Errors
// (InvalidArgument) name the input, the axis, the size seen and the dim; or the declared fact that
// does not hold; or the symbols that the shapes leave open.
absl::StatusOr<solver::Assignment> BindSymbols(const ir::Graph& graph,
                                               absl::Span<const ir::Tensor> inputs);

// Declared ranges and congruences.
absl::Status CheckFacts(const ir::Graph& graph, const solver::Assignment& assignment);

// The symbols of sizes that data decide: no shape of an input tells them.
std::set<std::string> DataSizes(const ir::Graph& graph);

// The size that `op` (ir/data_size.h) says, and all that is declared or required of sizes, as far
// as they are known by now. Errors as of BindSymbols.
absl::Status BindDataSize(const ir::Graph& graph, const ir::Operation& op, int64_t counted,
                          solver::Assignment& assignment);

// The open obligations, less those on sizes that data will decide. The error lists all that do not
// hold: `OP at SCOPE: constraint `ID`: ...`.
absl::Status CheckObligations(const ir::Graph& graph, const solver::Assignment& assignment);

}  // namespace tessera::reference

#endif  // TESSERA_TARGETS_REFERENCE_BIND_SYMBOLS_H_

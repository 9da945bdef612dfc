// Nodes whose sizes stand in the file: what is written there when a result has fewer entries, so
// that sizes which are not known stay so.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_SHAPE_INPUTS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_SHAPE_INPUTS_H_

#include <string>
#include <vector>

#include "passes/compression/builder.h"
#include "passes/compression/command.h"
#include "solver/expr.h"

namespace tessera::compression {

// Commands with which the operation's node makes a result of these sizes of an operand of those.
// Empty: it does not read them from a tensor, or they cannot be written there without others that
// are computed.
std::vector<Command> ResizedBy(const BuildContext& context, const ir::Operation& op,
                               const std::vector<solver::Expr>& operand,
                               const std::vector<solver::Expr>& result,
                               const std::string& algorithm);

// Whether the operation's node takes parts along axes, so that one which it takes whole is whole
// with fewer entries too, whatever number the file has.
bool TakesParts(const BuildContext& context, const ir::Operation& op);

// Whether its sizes are those of what it reads, and the file says no more than which axes are added
// or left out.
bool Follows(const BuildContext& context, const ir::Operation& op);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_SHAPE_INPUTS_H_

// Elements of a tensor of positions that say what there is to say of all of them.
#ifndef TESSERA_TOOLS_PROVING_POSITION_ELEMENTS_H_
#define TESSERA_TOOLS_PROVING_POSITION_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/value.h"
#include "nests/positions.h"

namespace tessera::proving {

// How many entries a last axis has, if they are so few that all are said, in rows.
std::optional<int64_t> RowLength(const ir::Value& value);

// The first and the last along each axis, those where pieces meet, and some between; in rows, as
// OperandInfo::extremes, of the context of `positions`. Empty: nothing is known.
std::vector<solver::Expr> ElementsOf(nests::Positions& positions, const ir::Value& value);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_POSITION_ELEMENTS_H_

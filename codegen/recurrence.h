// Recurrences: statements of a `ref` that are computed position by position along one axis, and
// read at each position what the positions before it hold.
#ifndef TESSERA_CODEGEN_RECURRENCE_H_
#define TESSERA_CODEGEN_RECURRENCE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// Which of the statement's indices is the sequential one; nullopt where none is.
std::optional<size_t> SequentialIndex(const RefStatement& ref);

// The temps and results of an op in the order in which they are computed. Neighbours whose
// sequential indices agree in name and direction advance together: at each position all members
// are computed, in their order, before the next position. Other statements stand alone.
std::vector<std::vector<const RefStatement*>> RefGroups(const Op& op);

// Members of a recurrence read each other at positions that are computed already: proved from the
// text, or refused.
void CheckRecurrences(const Op& op, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_RECURRENCE_H_

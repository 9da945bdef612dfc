// That each clause of a lowering is reached, as a table of statements for a decision procedure.
#ifndef TESSERA_CODEGEN_GUARD_EMITTER_H_
#define TESSERA_CODEGEN_GUARD_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"

namespace tessera::codegen {

// Lines `TARGET OP <TAB> FILE:PLACE after PLACE, PLACE... <TAB> facts <TAB> claim <TAB> invalid`,
// where a place is `LINE:COLUMN`: the claim is that the clause at the first place holds nowhere
// where those at the places after `after` do not hold; every line must be refuted. The lines of a
// clause say so for none of the clauses before it, for the first, for the first two...: the first
// that is not refuted names what leaves nothing for it. Lowerings of a single clause have no line.
// Guards are read as if all sizes were known: there, what is true is proved, unless the definition
// says `proved`.
std::string EmitGuards(const std::vector<const File*>& files);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_GUARD_EMITTER_H_

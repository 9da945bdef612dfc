// Shape claims of the kinds that networks give rise to, many of each: U-Nets that pad, crop, or
// should; chains and inverses of convolutions; remainders, alignments and resizes; reshapes with
// -1 of transformers; caches; symbolic strides, multiples and windows.
#ifndef TESSERA_SOLVER_TESTING_STATEMENT_FAMILIES_H_
#define TESSERA_SOLVER_TESTING_STATEMENT_FAMILIES_H_

#include <string>

namespace tessera::solver {

// As a table for DecideStatements, U-Nets up to `depth` levels deep.
std::string StatementFamilies(int depth);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_TESTING_STATEMENT_FAMILIES_H_

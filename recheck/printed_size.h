// Sizes as artifacts and options spell them.
#ifndef TESSERA_RECHECK_PRINTED_SIZE_H_
#define TESSERA_RECHECK_PRINTED_SIZE_H_

#include <string>

namespace tessera::recheck {

// The same as a statement: these have `floordiv(a, b)` where sizes are printed as `floor(a/b)`.
std::string AsStatement(std::string text);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_PRINTED_SIZE_H_

// Whether a term grows or falls with a symbol.
#ifndef TESSERA_RECHECK_WAY_H_
#define TESSERA_RECHECK_WAY_H_

#include <cstdint>

#include "recheck/terms.h"

namespace tessera::recheck {

// How a term follows one symbol: not at all, never falling with it, never growing, or as it likes.
enum class Way : uint8_t { kFree, kUp, kDown, kNeither };

Way Opposite(Way way);
// Of a sum of two.
Way Both(Way a, Way b);
// What is not seen through is kNeither.
Way WayOf(const Terms& terms, Dim dim, Dim moving);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_WAY_H_

// What the remainders of symbols say of the remainders of what is computed from them.
#ifndef TESSERA_RECHECK_CONGRUENCE_H_
#define TESSERA_RECHECK_CONGRUENCE_H_

#include <cstdint>

#include "recheck/terms.h"

namespace tessera::recheck {

// v mod stride == residue; stride 0: v is the residue.
struct Congruence {
  int64_t stride = 1, residue = 0;
};

Congruence CongruenceOf(const Terms& terms, Dim dim);
// What divides it whatever the sizes are, as far as that is plain to see; 0: it is 0.
int64_t DivisorOf(const Terms& terms, Dim dim);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_CONGRUENCE_H_

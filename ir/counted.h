#ifndef TESSERA_IR_COUNTED_H_
#define TESSERA_IR_COUNTED_H_

#include "ir/term_builder.h"

namespace tessera::ir {

// `data_size(count, most)` of import clauses: a size that is not known until `count`, a scalar of
// i64, has been computed: a new symbol from 0 to `most` (ir/data_size.h), the size that
// is counted alike before (ir/computed_alike.h), or what `count` is known to be.
Expr Counted(TermBuilder& builder, Value* count, const Expr& most);

}  // namespace tessera::ir

#endif  // TESSERA_IR_COUNTED_H_

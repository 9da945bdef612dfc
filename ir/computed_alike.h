#ifndef TESSERA_IR_COMPUTED_ALIKE_H_
#define TESSERA_IR_COMPUTED_ALIKE_H_

#include "ir/operation.h"

namespace tessera::ir {

// An operation that says how large a size is that data decide (ir/data_size.h), where what it
// counts is computed as `count` is: by the same operations with the same attributes from the same
// values, and from small constants with the same bytes. What has an effect is computed like nothing
// else. Null: none was found; how far is looked is bounded.
const Operation* CountedAlike(const Value* count);

}  // namespace tessera::ir

#endif  // TESSERA_IR_COMPUTED_ALIKE_H_

// Sizes that data decide: how many elements are not zero, how many boxes are kept.
#ifndef TESSERA_IR_DATA_SIZE_H_
#define TESSERA_IR_DATA_SIZE_H_

#include "ir/op_info.h"
#include "ir/operation.h"

namespace tessera::ir {

// Says how large a symbol is that no dim of an input has: operand 0, a scalar of i64, counts it.
// Attribute 0, `size`, is the symbol, the result the operand. Sizes that follow from it have no
// value before the operation has run; executors take it from there, and check then what is declared
// of it.
const OpInfo& DataSizeInfo();
inline bool IsDataSize(const Operation& op) { return &op.info() == &DataSizeInfo(); }

}  // namespace tessera::ir

#endif  // TESSERA_IR_DATA_SIZE_H_

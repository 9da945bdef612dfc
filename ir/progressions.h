// Which results of operations follow the index, from what is known of the operands.
#ifndef TESSERA_IR_PROGRESSIONS_H_
#define TESSERA_IR_PROGRESSIONS_H_

#include <memory>

#include "absl/types/span.h"
#include "ir/op_info.h"
#include "ir/progression.h"

namespace tessera::ir {

// Of an operation with one result, of type `type`, whose elements are not known: found where the op
// yields its index, where it computes elementwise what stays affine, and where it puts in or takes
// out axes of one entry. Null: not known.
std::unique_ptr<Progression> FindProgression(const OpInfo& info,
                                             absl::Span<const OperandInfo<Expr>> operands,
                                             absl::Span<const Attribute> attrs,
                                             const TensorType& type, solver::Context& context);

// Of a constant of many indices (i32 or i64), the extremes alone; null for other tensors.
std::unique_ptr<Progression> ExtremesOf(const Tensor& tensor);

}  // namespace tessera::ir

#endif  // TESSERA_IR_PROGRESSIONS_H_

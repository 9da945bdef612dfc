// Inference of what an operation yields, from what its operands are: types, the constraints left
// open, and the elements of small integer results.
#ifndef TESSERA_IR_INFERENCE_H_
#define TESSERA_IR_INFERENCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/progression.h"

namespace tessera::ir {

// Elements are tracked of tensors no larger than this.
inline constexpr int64_t kMaxTrackedElements = 1024;

using Elements = std::vector<Expr>;

struct Inferred {
  std::vector<TensorType> types;                    // one per result
  std::vector<std::unique_ptr<Elements>> elements;  // one per result; null: not known
  // One per result; null where elements are known, or nothing is.
  std::vector<std::unique_ptr<Progression>> progressions;
  std::vector<Obligation> open;    // without op, location and owner
  std::vector<Obligation> proved;  // likewise, and without messages
};

// Of null: an absent operand. Refers to the value.
OperandInfo<Expr> InfoOf(const Value* value);
// The same where one of `elements` and `progression` or neither is known; refers to them.
void SetKnown(const Elements* elements, const Progression* progression, OperandInfo<Expr>& info);

// `attrs` are complete. On a failure `failed` names the constraint, if it was one.
absl::StatusOr<Inferred> Infer(const OpInfo& info, std::vector<OperandInfo<Expr>> operands,
                               absl::Span<const Attribute> attrs, solver::Context& context,
                               std::string* failed);

// The elements of a small integer or bool tensor; null for others.
std::unique_ptr<Elements> TrackedElements(const Tensor& tensor);

}  // namespace tessera::ir

#endif  // TESSERA_IR_INFERENCE_H_

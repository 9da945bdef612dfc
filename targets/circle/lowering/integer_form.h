// The operator over integers that an operator over floats is, where it stands between tensors that
// are quantized. Which operators have one, and what is asked of it, say the definitions
// (targets/circle/integers): those of the same code.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_FORM_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_FORM_H_

#include <optional>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "targets/circle/lowering/stored.h"

namespace tessera::circle {

// The operator before the rewriter's insertion point, with the result quantized as it can be: that
// is `wanted`, unless the definition has a default of its own for the result's scale. Error: why
// there is none, as the end of a sentence.
absl::StatusOr<Stored> MakeInteger(const ir::Operation& op, const Quantization& wanted,
                                   ir::Rewriter& rewriter);
// Whether an operator has a form over integers that does nothing but choose among them: the scale
// of its result is by default that of its operands.
bool ChoosesElements(const ir::Operation& op);
// An operator that takes elements of any type, and so does nothing but move them, or one that
// chooses among them, over the integers that stand for its operands; nullopt where it is no such
// operator, or the integers do not stand for floats in the same way.
std::optional<Stored> MakeMoved(const ir::Operation& op, ir::Rewriter& rewriter);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_FORM_H_

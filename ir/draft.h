// How an operation that could not be built, or could not stay as it is, looks in a diagnostic: its
// printed form with the operands' types in place of the operands, and a caret below what is at
// fault.
#ifndef TESSERA_IR_DRAFT_H_
#define TESSERA_IR_DRAFT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/location.h"
#include "ir/op_info.h"

namespace tessera::ir {

struct Draft {
  const OpInfo& info;
  absl::Span<const OperandInfo<Expr>> operands;
  absl::Span<const std::string> names;  // of the operands; may be fewer, may be empty
  absl::Span<const Attribute> attrs;
  const Location& location;
};

// What the caret stands below.
struct Blame {
  enum Kind { kOp, kOperand, kAttr } kind = kOp;
  size_t index = 0;
};

// What a constraint id such as `rank.x` or `where.strides` speaks of.
Blame BlameFor(const OpInfo& info, std::string_view constraint);

// `OP` at `LOCATION`: REASON, then the line and the caret. Keeps the code.
absl::Status Explain(const absl::Status& reason, const Draft& draft, Blame blame);

// The constraint whose violation an error of the Rewriter tells of; empty where it was none.
void NoteConstraint(std::string_view constraint, absl::Status& status);
std::string ConstraintOf(const absl::Status& status);

// Two lines: `line`, and a caret with tildes below [begin, end). Columns count code points.
std::string WithCaret(std::string_view line, size_t begin, size_t end);

}  // namespace tessera::ir

#endif  // TESSERA_IR_DRAFT_H_

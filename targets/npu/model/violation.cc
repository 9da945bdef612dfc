#include "targets/npu/model/violation.h"

#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

// The name of what stands at `index`, or nothing.
std::string Named(absl::Span<const std::string_view> names, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(names.size())) return "";
  return absl::StrCat(" (", std::string(names[static_cast<size_t>(index)]), ")");
}

}  // namespace

std::string_view NameOf(Item item) {
  switch (item) {
    case Item::kModelOperations:
      return "ModelNumberOfOperations";
    case Item::kOperationOperands:
      return "OperationOperands";
    case Item::kOperationParameters:
      return "OperationParameters";
    case Item::kOperandMode:
      return "OperandMode";
    case Item::kOperandType:
      return "OperandType";
    case Item::kOperandData:
      return "OperandData";
    case Item::kParameter:
      return "Parameter";
    case Item::kShapeNumberOfDimensions:
      return "ShapeNumberOfDimensions";
    case Item::kShapeDimensions:
      return "ShapeDimensions";
    case Item::kInternal:
      break;
  }
  return "Internal";
}

std::string_view NameOf(Reason reason) {
  switch (reason) {
    case Reason::kNullNotAllowed:
      return "NullNotAllowed";
    case Reason::kNullRequired:
      return "NullRequired";
    case Reason::kBelowRange:
      return "BelowRange";
    case Reason::kAboveRange:
      return "AboveRange";
    case Reason::kNotEqual:
      return "NotEqual";
    case Reason::kNotInSet:
      return "NotInSet";
    case Reason::kNotMultiplicity:
      return "NotMultiplicity";
    case Reason::kNotAligned:
      return "NotAligned";
    case Reason::kOther:
      break;
  }
  return "Other";
}

std::string Violation::Text(const Model& model, std::string_view device) const {
  std::string text;
  if (operation.has_value()) {
    const OperationFacts& facts = FactsOf(model.operations[static_cast<size_t>(*operation)].type);
    absl::StrAppend(&text, "operation ", *operation, " (", std::string(facts.name), ")");
    if (operand.has_value())
      absl::StrAppend(&text, ", operand ", *operand, Named(facts.operands, *operand));
    if (parameter.has_value())
      absl::StrAppend(&text, ", parameter ", *parameter, Named(facts.parameters, *parameter));
    if (dimension.has_value()) absl::StrAppend(&text, ", dimension ", *dimension);
    absl::StrAppend(&text, ": ");
  }
  absl::StrAppend(&text, std::string(NameOf(item)), " ", std::string(NameOf(reason)), ", is ",
                  value, "; ", std::string(device), " ", limit);
  return text;
}

}  // namespace tessera::npu

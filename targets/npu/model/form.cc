#include "targets/npu/model/form.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::npu {

void CheckForm(const Operation& operation, LayerCheck& check) {
  const OperationFacts& facts = FactsOf(operation.type);
  const int64_t count = static_cast<int64_t>(operation.operands.size());
  const int64_t most = static_cast<int64_t>(facts.operands.size());
  if (count < facts.required_operands || count > most)
    check.Fail(Item::kOperationOperands, count > most ? Reason::kAboveRange : Reason::kBelowRange,
               std::nullopt, std::nullopt, std::nullopt, count,
               absl::StrCat("operands: ", facts.required_operands, "..", most));
  for (int i = 0; i < facts.required_operands; ++i) {
    if (operation.operand(i).mode == Mode::kAbsent)
      check.Fail(Item::kOperationOperands, Reason::kNullNotAllowed, i, std::nullopt, std::nullopt,
                 0, "operands: it is needed");
  }
  for (int i = 0; i < facts.required_operands; ++i) {
    if (operation.operand(i).mode == Mode::kDisabled)
      check.Fail(Item::kOperandMode, Reason::kNotInSet, i, std::nullopt, std::nullopt,
                 static_cast<int64_t>(Mode::kDisabled), "operands: it may not be disabled");
  }
  for (int i = 0; i < facts.required_parameters; ++i) {
    if (operation.Find(facts.parameters[static_cast<size_t>(i)]) == nullptr)
      check.Fail(Item::kOperationParameters, Reason::kNullNotAllowed, std::nullopt, i, std::nullopt,
                 0, "parameters: it is needed");
  }
}

void NeedParameter(const Operation& operation, std::string_view parameter, LayerCheck& check) {
  if (operation.Find(parameter) == nullptr)
    check.Fail(Item::kOperationParameters, Reason::kNullNotAllowed, std::nullopt,
               ParameterIndex(operation.type, parameter), std::nullopt, 0,
               "parameters: it is needed");
}

void ParameterIn(const Operation& operation, std::string_view parameter,
                 const std::vector<int64_t>& values, LayerCheck& check) {
  const int64_t value = operation.Number(parameter, values[0]);
  if (std::find(values.begin(), values.end(), value) == values.end())
    check.Fail(Item::kParameter, Reason::kNotInSet, std::nullopt,
               ParameterIndex(operation.type, parameter), std::nullopt, value,
               absl::StrCat(std::string(parameter), ": a mode that the operation has"));
}

}  // namespace tessera::npu

#include "targets/circle/lowering/integer_form.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/draft.h"
#include "ir/registry.h"
#include "targets/circle/lowering/grids.h"
#include "targets/circle/lowering/integer_operator.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::Attribute;
using ir::DType;
using ir::Operation;
using ir::Value;

bool IsFloat(const Value* value) { return value->type().dtype == DType::kF32; }

// The operator of the format that has the same code; null: none.
const ir::OpInfo* IntegersFor(const ir::OpInfo& info) {
  if (info.dialect != kDialect || info.code == nullptr) return nullptr;
  return ir::Registry::Global().WithCode(kIntegers, info.code->code);
}

// The activations' type: that of the first operand which is quantized.
std::optional<DType> ActivationsOf(const Operation& op) {
  for (const Value* operand : op.operands()) {
    if (operand == nullptr || !IsFloat(operand)) continue;
    if (const std::optional<Stored> stored = DequantizedFrom(operand)) return stored->by.dtype;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Stored> MakeInteger(const Operation& op, const Quantization& wanted,
                                   ir::Rewriter& rewriter) {
  const ir::OpInfo* info = IntegersFor(op.info());
  if (info == nullptr || op.results().size() != 1)
    return absl::UnimplementedError("it has no form over integers");
  const std::optional<DType> activations = ActivationsOf(op);
  if (!activations.has_value()) return absl::UnimplementedError("no operand is quantized");
  IntegerOperator integer(op, *info, rewriter);
  if (absl::Status status = integer.Take(*activations); !status.ok()) return status;
  absl::StatusOr<Stored> made = integer.Make(wanted.dtype == *activations ? &wanted : nullptr);
  const std::string constraint = made.ok() ? "" : ir::ConstraintOf(made.status());
  if (!made.ok() && absl::StartsWith(constraint, "where.")) {
    // A result whose scale is that of an operand, or one that the definition sets.
    if (integer.first().has_value()) {
      const absl::StatusOr<Stored> same = integer.Make(&*integer.first());
      if (same.ok()) return same;
    }
    const absl::StatusOr<Stored> other = integer.Make(nullptr);
    if (other.ok()) return other;
  }
  return made;
}

bool ChoosesElements(const Operation& op) {
  const ir::OpInfo* const info = IntegersFor(op.info());
  if (info == nullptr || op.results().size() != 1) return false;
  // An activation that ends at 6 rounds it.
  const int activation = ir::FindAttr(op.info(), "fused_activation_function");
  if (activation >= 0 &&
      !std::holds_alternative<std::monostate>(op.attr(static_cast<size_t>(activation))) &&
      std::get<int64_t>(op.attr(static_cast<size_t>(activation))) > 1) {
    return false;
  }
  const int scale = ParameterOf(*info, info->results[0].name, "scale");
  const auto is = [&](double number) {
    const absl::StatusOr<Attribute> value =
        DefaultOf(*info, scale, std::vector<Attribute>(info->attrs.size()), number, 1);
    return value.ok() && std::get<double>(*value) == number;
  };
  return scale >= 0 && is(1) && is(2);
}

std::optional<Stored> MakeMoved(const Operation& op, ir::Rewriter& rewriter) {
  if (op.info().dialect != kDialect || op.results().size() != 1 || op.payload() != nullptr ||
      op.info().effect || !IsFloat(op.result())) {
    return std::nullopt;
  }
  if (const ir::OpInfo* const info = IntegersFor(op.info())) {
    const std::optional<DType> activations = ActivationsOf(op);
    if (!activations.has_value() || !ChoosesElements(op)) return std::nullopt;
    IntegerOperator integer(op, *info, rewriter);
    if (!integer.Take(*activations).ok()) return std::nullopt;
    const absl::StatusOr<Stored> made = integer.Make(nullptr);
    if (!made.ok()) return std::nullopt;
    return *made;
  }
  std::optional<Quantization> by;
  for (const Value* operand : op.operands()) {
    if (operand == nullptr || !IsFloat(operand) || operand->constant() != nullptr) continue;
    const std::optional<Stored> stored = DequantizedFrom(operand);
    if (!stored.has_value() || (by.has_value() && !(*by == stored->by))) return std::nullopt;
    by = stored->by;
  }
  // Operators of the format compute with wider integers, so that taking them says nothing.
  if (!by.has_value() || ir::SizeOf(by->dtype) > 2) return std::nullopt;
  std::vector<Value*> operands;
  for (Value* operand : op.operands()) {
    if (operand == nullptr || !IsFloat(operand)) {
      operands.push_back(operand);
    } else if (operand->constant() != nullptr) {
      const std::optional<ir::Tensor> codes =
          CodesOf(*operand->constant(), by->scale, by->zero_point, by->dtype);
      if (!codes.has_value()) return std::nullopt;
      operands.push_back(rewriter.CreateConstant(*codes));
    } else {
      operands.push_back(DequantizedFrom(operand)->value);
    }
  }
  const absl::StatusOr<Operation*> made =
      rewriter.Create(op.info(), std::move(operands), {op.attrs().begin(), op.attrs().end()});
  if (!made.ok() || (*made)->result()->type().dtype != by->dtype) return std::nullopt;
  return Stored{(*made)->result(), *by};
}

}  // namespace tessera::circle

#include "targets/npu/emulator/operand_data.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

constexpr size_t kRecordBytes = 8;

absl::Status CheckData(const Operand& operand) {
  const absl::StatusOr<int64_t> count =
      ir::ElementCount(operand.shape, static_cast<size_t>(SizeOf(operand.type)));
  if (!count.ok()) return count.status();
  const int64_t bytes = *count * SizeOf(operand.type);
  if (operand.data.has_value() && operand.data->size() == bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("an operand of ", bytes, " bytes has ",
                   operand.data.has_value() ? operand.data->size() : 0, " bytes of data"));
}

// Field `T` at byte `offset` of each record.
template <class T>
absl::StatusOr<ir::Tensor> Field(ir::DType dtype, const Operand& operand, size_t offset) {
  absl::StatusOr<ir::Tensor> field = ir::Tensor::Allocate(dtype, operand.shape);
  if (!field.ok()) return field;
  const uint8_t* records = operand.data->data<uint8_t>();
  for (int64_t i = 0; i < field->size(); ++i)
    std::memcpy(field->mutable_data<T>() + i,
                records + static_cast<size_t>(i) * kRecordBytes + offset, sizeof(T));
  return field;
}

}  // namespace

ir::DType DTypeOf(DataType type) {
  return type == DataType::kInt8    ? ir::DType::kI8
         : type == DataType::kInt16 ? ir::DType::kI16
                                    : ir::DType::kI32;
}

absl::StatusOr<ir::Tensor> ElementsOf(const Operand& operand) {
  if (absl::Status status = CheckData(operand); !status.ok()) return status;
  return ir::Tensor::View(DTypeOf(operand.type), operand.shape, operand.data->owner(),
                          operand.data->bytes());
}

absl::StatusOr<BiasData> BiasesOf(const Operand& operand) {
  BiasData data;
  if (operand.type != DataType::kCompoundBias) {
    absl::StatusOr<ir::Tensor> bias = ElementsOf(operand);
    if (!bias.ok()) return bias.status();
    data.bias = *std::move(bias);
    return data;
  }
  if (absl::Status status = CheckData(operand); !status.ok()) return status;
  absl::StatusOr<ir::Tensor> bias = Field<int32_t>(ir::DType::kI32, operand, 0);
  absl::StatusOr<ir::Tensor> multiplier = Field<uint8_t>(ir::DType::kU8, operand, 4);
  if (!bias.ok()) return bias.status();
  if (!multiplier.ok()) return multiplier.status();
  data.bias = *std::move(bias);
  data.multiplier = *std::move(multiplier);
  return data;
}

absl::StatusOr<ir::Tensor> MultipliersOf(const Operand& scale_factors) {
  if (absl::Status status = CheckData(scale_factors); !status.ok()) return status;
  return Field<uint8_t>(ir::DType::kU8, scale_factors, 4);
}

absl::StatusOr<TableData> TableOf(const Operand& table) {
  if (absl::Status status = CheckData(table); !status.ok()) return status;
  absl::StatusOr<ir::Tensor> base = Field<int32_t>(ir::DType::kI32, table, 0);
  absl::StatusOr<ir::Tensor> value = Field<int16_t>(ir::DType::kI16, table, 4);
  absl::StatusOr<ir::Tensor> slope = Field<int16_t>(ir::DType::kI16, table, 6);
  for (const auto* field : {&base, &value, &slope}) {
    if (!field->ok()) return field->status();
  }
  return TableData{*std::move(base), *std::move(value), *std::move(slope)};
}

}  // namespace tessera::npu

#include "targets/circle/lowering/stored.h"

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/registry.h"
#include "ir/term_builder.h"
#include "targets/circle/lowering/grids.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::Attribute;
using ir::DType;
using ir::Operation;
using ir::Value;

constexpr std::string_view kToBeStored = "QUANTIZED", kStandIn = "DEQUANTIZED",
                           kRounded = "ROUNDED";
constexpr std::string_view kProduct = "MUL";
constexpr std::string_view kQuantize = "QUANTIZE";
constexpr std::string_view kDequantize = "DEQUANTIZE";
constexpr int64_t kSign = 128;  // between the zero points of u8 and i8

bool IsOperation(const Operation* op, std::string_view name) {
  return op != nullptr && op->info().dialect == kDialect && op->info().name == name;
}

std::optional<Quantization> Parameters(const Value* scale, const Value* zero_point, DType dtype) {
  if (scale->constant() == nullptr || zero_point->constant() == nullptr) return std::nullopt;
  Quantization by{dtype, scale->constant()->AsDouble(0), zero_point->constant()->AsInt(0)};
  if (!std::isfinite(by.scale) || by.scale <= 0) return std::nullopt;
  return by;
}

// An operator by its name: attributes by theirs.
absl::StatusOr<Value*> MakeConversion(
    std::string_view name, std::vector<Value*> operands,
    const std::vector<std::pair<std::string_view, Attribute>>& attributes, ir::Rewriter& rewriter) {
  const ir::OpInfo* info = ir::Registry::Global().Find(kIntegers, name);
  if (info == nullptr) return absl::InternalError("no operator converts");
  std::vector<Attribute> attrs(info->attrs.size());
  for (const auto& [attribute, value] : attributes) {
    const int place = ir::FindAttr(*info, attribute);
    if (place < 0) return absl::InternalError("no such attribute");
    attrs[static_cast<size_t>(place)] = value;
  }
  const absl::StatusOr<Operation*> made = rewriter.Create(*info, operands, std::move(attrs));
  if (!made.ok()) return made.status();
  return (*made)->result();
}

// QUANTIZE rounds to half of a coarse step, and that to a step: where steps become more than twice
// as wide, every fourth element goes up that should go down. A product with one, which has six more
// bits until it is rounded, errs at one in some hundreds.
constexpr double kOneStep = 1.0 / 64;
constexpr int64_t kOne = 64;

bool RoundsTwice(const Quantization& from, const Quantization& to) {
  return from.dtype == to.dtype && from.scale < to.scale / 2 &&
         (from.dtype == DType::kI8 ||
          (from.dtype == DType::kI16 && from.zero_point == 0 && to.zero_point == 0));
}

absl::StatusOr<Value*> MakeProductWithOne(const Stored& from, const Quantization& wanted,
                                          ir::Rewriter& rewriter) {
  Value* const one = rewriter.CreateConstant(StoreCodes({kOne}, {}, from.by.dtype));
  return MakeConversion("QUANTIZED_MUL", {from.value, one},
                        {{"x_scale", Attribute(from.by.scale)},
                         {"x_zero_point", Attribute(from.by.zero_point)},
                         {"y_scale", Attribute(kOneStep)},
                         {"y_zero_point", Attribute(int64_t{0})},
                         {"z_scale", Attribute(wanted.scale)},
                         {"z_zero_point", Attribute(wanted.zero_point)}},
                        rewriter);
}

bool IsConversion(const Operation* op) {
  return op != nullptr && op->info().dialect == kIntegers && op->info().name == kQuantize;
}

Quantization ByAttributes(const Operation& op, std::string_view scale, std::string_view zero_point,
                          DType dtype) {
  const auto attribute = [&](std::string_view name) {
    return op.attr(static_cast<size_t>(ir::FindAttr(op.info(), name)));
  };
  return {dtype, std::get<double>(attribute(scale)), std::get<int64_t>(attribute(zero_point))};
}

// The operations know their scales as operands.
absl::StatusOr<Value*> MakeWithScale(std::string_view name, Value* from, const Quantization& by,
                                     ir::Rewriter& rewriter) {
  const ir::OpInfo* const info = ir::Registry::Global().Find(kDialect, name);
  if (info == nullptr) return absl::InternalError("nothing is quantized");
  Value* const scale = rewriter.CreateConstant(
      ir::Tensor::Of<float>(DType::kF32, {}, {static_cast<float>(by.scale)}));
  Value* const zero_point = rewriter.CreateConstant(StoreCodes({by.zero_point}, {}, by.dtype));
  const absl::StatusOr<Operation*> made = rewriter.Create(*info, {from, scale, zero_point}, {});
  if (!made.ok()) return made.status();
  return (*made)->result();
}

}  // namespace

std::optional<Stored> DequantizedFrom(const Value* value) {
  const Operation* producer = value->producer();
  if (!IsOperation(producer, kStandIn)) return std::nullopt;
  Value* const stored = producer->operand(0);
  const std::optional<Quantization> by =
      Parameters(producer->operand(1), producer->operand(2), stored->type().dtype);
  if (!by.has_value()) return std::nullopt;
  // A file says of a tensor once what it is quantized by.
  if (const Operation* const maker = stored->producer(); IsOperation(maker, kToBeStored)) {
    if (QuantizedBy(maker) != by) return std::nullopt;
  }
  for (const ir::Use& use : stored->UsesUnsorted()) {
    if (IsOperation(use.op, kStandIn) && use.index == 0 &&
        Parameters(use.op->operand(1), use.op->operand(2), by->dtype) != by) {
      return std::nullopt;
    }
  }
  return Stored{stored, *by};
}

std::optional<Quantization> QuantizedBy(const Operation* op) {
  if (!IsOperation(op, kToBeStored)) return std::nullopt;
  return Parameters(op->operand(1), op->operand(2), op->result()->type().dtype);
}

absl::StatusOr<Value*> MakeAsRead(const Operation& op, ir::Rewriter& rewriter) {
  const std::optional<Quantization> by = QuantizedBy(&op);
  if (!by.has_value() || by->scale != 1) return nullptr;
  std::optional<Quantization> read;
  for (const ir::Use& use : op.result()->UsesUnsorted()) {
    if (!IsOperation(use.op, kStandIn) || use.index != 0) continue;
    const std::optional<Quantization> other =
        Parameters(use.op->operand(1), use.op->operand(2), by->dtype);
    if (!other.has_value() || (read.has_value() && read != other)) return nullptr;
    read = other;
  }
  if (!read.has_value() || read == by || read->zero_point != by->zero_point) return nullptr;
  ir::TermBuilder builder(rewriter);
  const auto product = [&](Value* x, Value* y) {
    const std::vector<Value*> made = builder.Create(kDialect, kProduct, {x, y}, {});
    return made.empty() ? nullptr : made[0];
  };
  Value* const scale = builder.Fill(read->scale, {}, DType::kF32);
  // The scale joins a factor that is there already.
  Value* const units = op.operand(0);
  const Operation* const maker = units->producer();
  const bool scaled = IsOperation(maker, kProduct) && maker->operand(1)->constant() != nullptr &&
                      maker->attr(0) == Attribute(int64_t{0});
  Value* const floats = scaled ? product(maker->operand(0), product(maker->operand(1), scale))
                               : product(units, scale);
  if (!builder.ok()) return builder.status();
  return MakeToBeStored(floats, *read, rewriter);
}

absl::StatusOr<Value*> MakeStandIn(const Stored& from, ir::Rewriter& rewriter) {
  return MakeWithScale(kStandIn, from.value, from.by, rewriter);
}

absl::StatusOr<Value*> MakeToBeStored(Value* floats, const Quantization& by,
                                      ir::Rewriter& rewriter) {
  return MakeWithScale(kToBeStored, floats, by, rewriter);
}

absl::StatusOr<Value*> MakeRounded(Value* floats, const Quantization& by, ir::Rewriter& rewriter) {
  return MakeWithScale(kRounded, floats, by, rewriter);
}

absl::StatusOr<Stored> MakeRequantized(const Stored& from, const Quantization& wanted,
                                       ir::Rewriter& rewriter) {
  if (from.by == wanted) return from;
  const absl::StatusOr<Value*> made =
      RoundsTwice(from.by, wanted)
          ? MakeProductWithOne(from, wanted, rewriter)
          : MakeConversion(kQuantize, {from.value},
                           {{"input_scale", Attribute(from.by.scale)},
                            {"input_zero_point", Attribute(from.by.zero_point)},
                            {"output_type", Attribute(wanted.dtype)},
                            {"output_scale", Attribute(wanted.scale)},
                            {"output_zero_point", Attribute(wanted.zero_point)}},
                           rewriter);
  if (!made.ok()) return made.status();
  return Stored{*made, wanted};
}

absl::StatusOr<Value*> MakeQuantized(Value* floats, const Quantization& wanted,
                                     ir::Rewriter& rewriter) {
  return MakeConversion(kQuantize, {floats},
                        {{"output_type", Attribute(wanted.dtype)},
                         {"output_scale", Attribute(wanted.scale)},
                         {"output_zero_point", Attribute(wanted.zero_point)}},
                        rewriter);
}

absl::StatusOr<Value*> MakeDequantized(const Stored& from, ir::Rewriter& rewriter) {
  return MakeConversion(kDequantize, {from.value},
                        {{"input_scale", Attribute(from.by.scale)},
                         {"input_zero_point", Attribute(from.by.zero_point)}},
                        rewriter);
}

absl::StatusOr<Value*> MakeConvertedAtOnce(const Operation& op, ir::Rewriter& rewriter) {
  const auto status = absl::UnimplementedError("no way around");
  if (!IsConversion(&op) || op.result()->type().dtype != DType::kU8 ||
      op.operand(0)->type().dtype != DType::kI8 || !IsConversion(op.operand(0)->producer()))
    return status;
  const Operation& first = *op.operand(0)->producer();
  const Quantization between = ByAttributes(op, "input_scale", "input_zero_point", DType::kI8);
  const Quantization to = ByAttributes(op, "output_scale", "output_zero_point", DType::kU8);
  if (ByAttributes(first, "output_scale", "output_zero_point", DType::kI8) != between ||
      between.scale != to.scale || between.zero_point + kSign != to.zero_point)
    return status;
  Value* const from = first.operand(0);
  if (from->type().dtype == DType::kF32) return MakeQuantized(from, to, rewriter);
  if (from->type().dtype != DType::kU8 ||
      ByAttributes(first, "input_scale", "input_zero_point", DType::kU8) != to)
    return status;
  return from;
}

absl::StatusOr<Value*> MakeConvertedOtherwise(const Operation& op, ir::Rewriter& rewriter) {
  if (op.info().dialect == kIntegers && op.info().name == kDequantize &&
      op.operand(0)->type().dtype == DType::kU8) {
    return MakeStandIn(
        {op.operand(0), ByAttributes(op, "input_scale", "input_zero_point", DType::kU8)}, rewriter);
  }
  const auto status = absl::UnimplementedError("there is one way only");
  if (!IsConversion(&op)) return status;
  Value* from = op.operand(0);
  const DType before = from->type().dtype, after = op.result()->type().dtype;
  const Quantization by = ByAttributes(op, "input_scale", "input_zero_point", before);
  const Quantization to = ByAttributes(op, "output_scale", "output_zero_point", after);
  if (before == DType::kI8 && after == DType::kI8) {
    const absl::StatusOr<Value*> product = MakeProductWithOne({from, by}, to, rewriter);
    if (product.ok()) return *product;
    // Much finer than the integers there are.
  }
  if (before != DType::kF32) {
    if (before == DType::kI16 || after == DType::kI16) return status;
    const absl::StatusOr<Value*> floats = before == DType::kU8
                                              ? MakeStandIn({from, by}, rewriter)
                                              : MakeDequantized({from, by}, rewriter);
    if (!floats.ok()) return floats.status();
    from = *floats;
  }
  if (after == DType::kU8) return MakeToBeStored(from, to, rewriter);
  if (after != DType::kI8) return status;
  const Quantization codes{DType::kU8, to.scale, to.zero_point + kSign};
  const absl::StatusOr<Value*> stored = MakeQuantized(from, codes, rewriter);
  if (!stored.ok()) return stored.status();
  const absl::StatusOr<Stored> made = MakeRequantized({*stored, codes}, to, rewriter);
  if (!made.ok()) return made.status();
  return made->value;
}

}  // namespace tessera::circle

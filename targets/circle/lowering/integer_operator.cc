#include "targets/circle/lowering/integer_operator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/circle/lowering/grids.h"

namespace tessera::circle {
namespace {

using ir::Attribute;
using ir::DType;
using ir::Operation;
using ir::Value;

constexpr int64_t kMostOfWeights = 127;
constexpr double kMostFromZeroPoint = 255;  // of an input of eight bits

std::string Text(std::string_view text) { return std::string(text); }

bool IsFloat(const Value* value) { return value->type().dtype == DType::kF32; }

int OperandNamed(const ir::OpInfo& info, const std::string& name) {
  for (size_t i = 0; i < info.operands.size(); ++i) {
    if (info.operands[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// The most that a type holds, which constants are brought to.
int64_t MostOf(DType dtype) { return dtype == DType::kI16 ? 32767 : kMostOfWeights; }

}  // namespace

int ParameterOf(const ir::OpInfo& info, std::string_view tensor, std::string_view parameter) {
  return ir::FindAttr(info, absl::StrCat(Text(tensor), "_", Text(parameter)));
}

absl::StatusOr<Attribute> DefaultOf(const ir::OpInfo& info, int attr, std::vector<Attribute> attrs,
                                    double number, int64_t integer) {
  for (size_t a = 0; a < attrs.size(); ++a) {
    const ir::AttrKind kind = info.attrs[a].kind;
    if (!std::holds_alternative<std::monostate>(attrs[a]) || static_cast<int>(a) == attr) continue;
    if (kind == ir::AttrKind::kFloat) attrs[a] = number;
    if (kind == ir::AttrKind::kInt) attrs[a] = integer;
  }
  const std::vector<ir::OperandInfo<ir::Expr>> operands(info.operands.size());
  if (absl::Status status = info.complete(operands, attrs); !status.ok()) return status;
  return attrs[static_cast<size_t>(attr)];
}

absl::Status IntegerOperator::Take(DType dtype) {
  dtype_ = dtype;
  for (size_t a = 0; a < op_.attrs().size(); ++a) {
    const int own = ir::FindAttr(info_, op_.info().attrs[a].name);
    if (own >= 0) attrs_[static_cast<size_t>(own)] = op_.attr(a);
  }
  for (size_t i = 0; i < op_.operands().size(); ++i) {
    const ir::OperandSpec* spec = ir::OperandSpecAt(op_.info(), i);
    if (absl::Status status = TakeOperand(Text(spec->name), op_.operand(i), *spec); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<Stored> IntegerOperator::Make(const Quantization* wanted) {
  std::vector<Attribute> attrs = attrs_;
  const std::string_view result = info_.results[0].name;
  const int scale = ParameterOf(info_, result, "scale"),
            zero = ParameterOf(info_, result, "zero_point");
  if (wanted != nullptr && scale >= 0) attrs[static_cast<size_t>(scale)] = wanted->scale;
  if (wanted != nullptr && zero >= 0) attrs[static_cast<size_t>(zero)] = wanted->zero_point;
  if (wanted != nullptr) {
    if (absl::Status status = CheckSteps(*wanted); !status.ok()) return status;
  }
  std::vector<Value*> operands = operands_;
  operands.insert(operands.end(), rest_.begin(), rest_.end());
  const absl::StatusOr<Operation*> made =
      rewriter_.Create(info_, std::move(operands), std::move(attrs));
  if (!made.ok()) return made.status();
  if (scale < 0 || zero < 0) return absl::InternalError("a result without scale");
  Stored stored{(*made)->result(), {}};
  stored.by.dtype = stored.value->type().dtype;
  stored.by.scale = std::get<double>((*made)->attr(static_cast<size_t>(scale)));
  stored.by.zero_point = std::get<int64_t>((*made)->attr(static_cast<size_t>(zero)));
  return stored;
}

// Runtimes shift sums up, in as many bits, where products have coarser steps than the result.
absl::Status IntegerOperator::CheckSteps(const Quantization& wanted) const {
  const double inputs = InputsScale();
  for (size_t channel = 0; channel < channel_scales_.size(); ++channel) {
    const double products = inputs * double{channel_scales_[channel]};
    if (channel_sums_[channel] == 0 || products <= wanted.scale) continue;
    return absl::UnimplementedError(absl::StrCat("products of channel ", channel, " in steps of ",
                                                 products, " for a result in steps of ",
                                                 wanted.scale));
  }
  return absl::OkStatus();
}

absl::Status IntegerOperator::TakeOperand(const std::string& name, Value* value,
                                          const ir::OperandSpec& spec) {
  const int place = OperandNamed(info_, name);
  if (place < 0) return absl::UnimplementedError(absl::StrCat("integers have no `", name, "`"));
  Value* taken = value;
  if (value != nullptr && IsFloat(value)) {
    absl::StatusOr<Value*> stored =
        OperandNamed(info_, name + "_scale") >= 0 ? Channels(name, value) : Whole(name, value);
    if (!stored.ok()) return stored.status();
    taken = *stored;
  }
  if (spec.arity == ir::Arity::kVariadic) {
    // The last of them all.
    if (!variadic_) operands_.pop_back();
    variadic_ = true;
    rest_.push_back(taken);
  } else {
    operands_[static_cast<size_t>(place)] = taken;
  }
  return absl::OkStatus();
}

// One scale for the tensor.
absl::StatusOr<Value*> IntegerOperator::Whole(const std::string& name, Value* value) {
  const int scale = ParameterOf(info_, name, "scale"),
            zero = ParameterOf(info_, name, "zero_point");
  if (scale < 0 || zero < 0) return absl::InternalError(absl::StrCat("`", name, "` without scale"));
  Attribute& known = attrs_[static_cast<size_t>(scale)];
  Attribute& known_zero = attrs_[static_cast<size_t>(zero)];
  const bool set = std::holds_alternative<double>(known);
  if (value->constant() != nullptr) {
    if (set) {
      const std::optional<ir::Tensor> codes = CodesOf(*value->constant(), std::get<double>(known),
                                                      std::get<int64_t>(known_zero), dtype_);
      if (codes.has_value()) return rewriter_.CreateConstant(*codes);
    } else if (const std::optional<Grid> grid = GridOf(*value->constant(), -1, MostOf(dtype_))) {
      known = double{grid->scale[0]};
      known_zero = int64_t{0};
      return rewriter_.CreateConstant(StoreCodes(
          grid->codes, {value->constant()->shape().begin(), value->constant()->shape().end()},
          dtype_));
    }
    return absl::UnimplementedError(
        absl::StrCat("`", name, "` is a constant that is no multiple of one scale"));
  }
  const std::optional<Stored> stored = DequantizedFrom(value);
  if (!stored.has_value())
    return absl::UnimplementedError(absl::StrCat("`", name, "` is not quantized"));
  if (set && (std::get<double>(known) != stored->by.scale ||
              std::get<int64_t>(known_zero) != stored->by.zero_point)) {
    return absl::UnimplementedError(
        absl::StrCat("the tensors of `", name, "` have different scales"));
  }
  known = stored->by.scale;
  known_zero = stored->by.zero_point;
  if (!first_.has_value()) first_ = stored->by;
  return stored->value;
}

// A scale for each entry of an axis: of the first such constant its own, the grid that it lies on;
// what is added to the products with it has theirs.
absl::StatusOr<Value*> IntegerOperator::Channels(const std::string& name, Value* value) {
  if (value->constant() == nullptr)
    return absl::UnimplementedError(absl::StrCat("`", name, "` is not a constant"));
  const ir::Tensor& constant = *value->constant();
  const std::vector<int64_t> shape(constant.shape().begin(), constant.shape().end());
  const size_t scale = static_cast<size_t>(OperandNamed(info_, name + "_scale"));
  if (!products_known_) {
    const int axis = ParameterOf(info_, name, "quantized_dimension");
    const absl::StatusOr<int64_t> along = Default(axis);
    if (!along.ok()) return along.status();
    const std::optional<Grid> grid = GridOf(constant, *along, kMostOfWeights);
    if (!grid.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat("`", name, "` is no multiple of a scale of 8 bits for each channel"));
    }
    products_known_ = true;
    channel_scales_ = grid->scale;
    channel_sums_.assign(channel_scales_.size(), 0);
    const auto inner = std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(*along) + 1,
                                       shape.end(), int64_t{1}, std::multiplies<>());
    for (size_t i = 0; i < grid->codes.size(); ++i) {
      channel_sums_[static_cast<size_t>(static_cast<int64_t>(i) / inner) % channel_sums_.size()] +=
          kMostFromZeroPoint * std::abs(static_cast<double>(grid->codes[i]));
    }
    operands_[scale] = ScaleConstant(channel_scales_);
    return rewriter_.CreateConstant(StoreCodes(grid->codes, shape, DType::kI8));
  }
  const double limit = dtype_ == DType::kI16 ? std::exp2(40) : std::exp2(31) - 1;
  std::vector<float> scales;
  std::vector<int64_t> codes;
  const double inputs = InputsScale();
  for (int64_t i = 0; i < constant.size(); ++i) {
    const size_t channel = static_cast<size_t>(i) % channel_scales_.size();
    scales.push_back(static_cast<float>(inputs * double{channel_scales_[channel]}));
    const double code = std::round(constant.AsDouble(i) / double{scales.back()});
    // Runtimes add the products to it in as many bits.
    const double sums = dtype_ == DType::kI16 ? 0 : channel_sums_[channel];
    if (!(std::abs(code) + sums <= limit)) {
      return absl::UnimplementedError(
          absl::StrCat("`", name, "` with the products is larger than their sums can be"));
    }
    codes.push_back(static_cast<int64_t>(code));
  }
  operands_[scale] = ScaleConstant(scales);
  return rewriter_.CreateConstant(
      StoreCodes(codes, shape, dtype_ == DType::kI16 ? DType::kI64 : DType::kI32));
}

// That of the tensors the products are made of; one of them may stand behind the constants.
double IntegerOperator::InputsScale() const {
  double scale = 1;
  for (size_t i = 0; i < op_.operands().size(); ++i) {
    const Value* operand = op_.operand(i);
    if (operand == nullptr || !IsFloat(operand)) continue;
    if (const std::optional<Stored> stored = DequantizedFrom(operand)) scale *= stored->by.scale;
  }
  return scale;
}

Value* IntegerOperator::ScaleConstant(const std::vector<float>& scales) {
  return rewriter_.CreateConstant(ir::Tensor::Of<float>(
      DType::kF32, {static_cast<int64_t>(scales.size())}, absl::MakeConstSpan(scales)));
}

// What the definition says an attribute is.
absl::StatusOr<int64_t> IntegerOperator::Default(int attr) const {
  if (attr < 0) return absl::InternalError("no axis of scales");
  absl::StatusOr<Attribute> value = DefaultOf(info_, attr, attrs_, 1, 0);
  if (!value.ok()) return value.status();
  return std::get<int64_t>(*value);
}

}  // namespace tessera::circle

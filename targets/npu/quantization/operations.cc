#include "targets/npu/quantization/operations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "ir/op_info.h"
#include "targets/npu/pwl/segment.h"

namespace tessera::npu {
namespace {

std::vector<int64_t> ShapeOf(const ir::Value& value) {
  std::vector<int64_t> shape;
  for (const ir::Expr& dim : value.type().dims) shape.push_back(*dim.Constant());
  return shape;
}

template <class T>
T AttributeOf(const ir::Operation& op, std::string_view name) {
  return std::get<T>(op.attr(static_cast<size_t>(ir::FindAttr(op.info(), name))));
}

template <class T>
void Append(T value, std::vector<uint8_t>& bytes) {
  uint8_t raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

ProgramOperand OperandAt(std::vector<int64_t> shape, DataType type, const Address& address) {
  ProgramOperand operand;
  operand.mode = Mode::kDefault;
  operand.shape = std::move(shape);
  operand.type = type;
  operand.address = address;
  return operand;
}

ProgramOperand WeightsOf(const IntegerNumbers& numbers, std::vector<int64_t> shape,
                         ReadOnlyData& data) {
  std::vector<uint8_t> bytes;
  const bool wide = numbers.form == WeightForm::kInt16;
  for (const int32_t weight : numbers.weights) {
    if (wide) {
      Append(static_cast<int16_t>(weight), bytes);
    } else {
      Append(static_cast<int8_t>(weight), bytes);
    }
  }
  return OperandAt(std::move(shape), wide ? DataType::kInt16 : DataType::kInt8, data.Add(bytes));
}

ProgramOperand BiasesOf(const IntegerNumbers& numbers, ReadOnlyData& data) {
  std::vector<uint8_t> bytes;
  const bool compound = numbers.form == WeightForm::kCompound;
  for (size_t r = 0; r < numbers.biases.size(); ++r) {
    Append(numbers.biases[r], bytes);
    if (compound) Append(numbers.multipliers[r], bytes);  // one byte, and three of zeros
  }
  return OperandAt({static_cast<int64_t>(numbers.biases.size())},
                   compound ? DataType::kCompoundBias : DataType::kInt32, data.Add(bytes));
}

ProgramOperand TableOf(const Table& table, ReadOnlyData& data) {
  std::vector<uint8_t> bytes;
  for (const TableSegment& segment : table.segments) {
    Append(segment.base, bytes);
    Append(segment.value, bytes);
    Append(segment.slope, bytes);
  }
  return OperandAt({static_cast<int64_t>(table.segments.size())}, DataType::kPwlSegment,
                   data.Add(bytes));
}

void AddPooling(const NetworkLayer& layer, bool row, ProgramOperation& operation) {
  if (layer.pool == nullptr) return;
  auto window = AttributeOf<std::vector<int64_t>>(*layer.pool, "window");
  auto stride = AttributeOf<std::vector<int64_t>>(*layer.pool, "stride");
  if (row) {
    window.erase(window.begin());
    stride.erase(stride.begin());
  }
  operation.parameters["pooling_mode"] = {
      AttributeOf<int64_t>(*layer.pool, "kind") == 0 ? kPoolingMax : kPoolingSum};
  operation.parameters["pooling_window"] = window;
  operation.parameters["pooling_stride"] = stride;
}

LayerNote NoteOf(const NetworkLayer& layer, const ScaledLayer& scaled) {
  LayerNote note;
  note.name = layer.result->name();
  note.scope = layer.op->location().ToString();
  note.input_scale = scaled.input_scale;
  note.output_scale = scaled.output_scale;
  if (!Multiplies(layer.kind)) return note;
  note.weight_scale = scaled.weight_scale;
  note.proved = scaled.proved;
  if (scaled.table.has_value()) {
    note.segments = static_cast<int64_t>(scaled.table->segments.size());
    note.fewest_segments = scaled.table->lower_bound;
    note.table_error = scaled.table->error;
    note.exact = scaled.table->exact;
  }
  return note;
}

}  // namespace

int64_t NearestNumber(double value, DataType type) {
  const Interval all = NumbersOfType(type);
  return static_cast<int64_t>(std::clamp(std::nearbyint(value), all.low, all.high));
}

Address ReadOnlyData::Add(const std::vector<uint8_t>& bytes) {
  const auto alignment = static_cast<size_t>(alignment_);
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  const auto offset = static_cast<int64_t>(bytes_.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return {RegionKind::kReadOnly, offset};
}

absl::StatusOr<ir::Tensor> ReadOnlyData::Take() const {
  absl::StatusOr<ir::Tensor> tensor =
      ir::Tensor::Allocate(ir::DType::kU8, {static_cast<int64_t>(bytes_.size())});
  if (tensor.ok()) std::copy(bytes_.begin(), bytes_.end(), tensor->mutable_data<uint8_t>());
  return tensor;
}

bool FillsAll(const NetworkLayer& copy) {
  return std::vector<int64_t>{AttributeOf<int64_t>(*copy.op, "rows"),
                              AttributeOf<int64_t>(*copy.op, "columns")} ==
         AttributeOf<std::vector<int64_t>>(*copy.op, "shape");
}

ProgramOperation CopyOf(int64_t count, DataType type, Address from, Address to, int64_t skip) {
  ProgramOperation operation;
  operation.type = OperationType::kCopy;
  from.offset += skip * SizeOf(type);
  to.offset += skip * SizeOf(type);
  operation.operands = {OperandAt({1, count}, type, from), OperandAt({1, count}, type, to)};
  operation.parameters["copy_shape"] = {1, count};
  return operation;
}

ProgramOperation OperationOf(const NetworkLayer& layer, const ScaledLayer& scaled,
                             const Device& device, DataType numbers_type, const Address& x,
                             const Address& y, const Address& out, ReadOnlyData& data) {
  ProgramOperation operation;
  operation.note = NoteOf(layer, scaled);
  std::vector<int64_t> x_shape = ShapeOf(*layer.op->operand(0));
  std::vector<int64_t> out_shape = ShapeOf(*layer.result);
  const IntegerNumbers& numbers = scaled.integers;
  ProgramOperand weights, biases;
  std::string layout;
  switch (layer.kind) {
    case LayerKind::kAffine:
      operation.type = OperationType::kFullyConnectedAffine;
      weights = WeightsOf(numbers, {out_shape[0], x_shape[0]}, data);
      biases = BiasesOf(numbers, data);
      break;
    case LayerKind::kDiagonal:
      operation.type = OperationType::kElementWiseAffine;
      weights = WeightsOf(numbers, {x_shape[0]}, data);
      biases = BiasesOf(numbers, data);
      break;
    case LayerKind::kAccumulate: {
      // Biases are one per row, so that each number is a row; weights are said once for each.
      operation.type = OperationType::kElementWiseAffine;
      const int64_t columns = x_shape[1], rows = x_shape[0] * columns;
      IntegerNumbers repeated;
      for (const int32_t weight : numbers.weights)
        repeated.weights.insert(repeated.weights.end(), static_cast<size_t>(columns), weight);
      x_shape = out_shape = {rows, 1};
      weights = WeightsOf(repeated, {rows}, data);
      biases = OperandAt({rows}, DataType::kInt32, y);
      break;
    }
    case LayerKind::kProduct: {
      operation.type = OperationType::kElementWiseAffine;
      const int64_t rows = x_shape[0] * x_shape[1];
      x_shape = out_shape = {rows, 1};
      weights = OperandAt({rows}, numbers_type, y);
      biases = OperandAt({rows}, DataType::kInt32,
                         data.Add(std::vector<uint8_t>(static_cast<size_t>(rows) * 4)));
      break;
    }
    case LayerKind::kRowConvolution: {
      operation.type = OperationType::kConvolution;
      weights = WeightsOf(numbers, ShapeOf(*layer.op->operand(1)), data);
      biases = BiasesOf(numbers, data);
      operation.parameters["convolution_stride"] = {AttributeOf<int64_t>(*layer.op, "stride")};
      AddPooling(layer, true, operation);
      if (LayerName(layer.kind, device) == "convolution_1d") layout = "GNA1";
      const int64_t filters = out_shape.back();
      const int64_t positions = out_shape[out_shape.size() - 2];
      out_shape = {1, positions, filters};
      break;
    }
    case LayerKind::kImageConvolution:
      operation.type = OperationType::kConvolution;
      weights = WeightsOf(numbers, ShapeOf(*layer.op->operand(1)), data);
      biases = BiasesOf(numbers, data);
      operation.parameters["convolution_stride"] =
          AttributeOf<std::vector<int64_t>>(*layer.op, "stride");
      operation.parameters["zero_padding"] =
          AttributeOf<std::vector<int64_t>>(*layer.op, "padding");
      AddPooling(layer, false, operation);
      break;
    case LayerKind::kCopy:
      operation.type = OperationType::kCopy;
      operation.parameters["copy_shape"] = {AttributeOf<int64_t>(*layer.op, "rows"),
                                            AttributeOf<int64_t>(*layer.op, "columns")};
      break;
    case LayerKind::kInterleave:
    case LayerKind::kDeinterleave:
      operation.type = OperationType::kTransposition;
      break;
  }
  const bool is_sum = Multiplies(layer.kind) && !scaled.table.has_value();
  operation.operands = {OperandAt(x_shape, numbers_type, x),
                        OperandAt(out_shape, is_sum ? DataType::kInt32 : numbers_type, out)};
  operation.operands[kOutput].layout = layout;
  if (!Multiplies(layer.kind)) return operation;
  operation.operands.push_back(std::move(weights));
  operation.operands.push_back(std::move(biases));
  if (scaled.table.has_value()) operation.operands.push_back(TableOf(*scaled.table, data));
  return operation;
}

}  // namespace tessera::npu

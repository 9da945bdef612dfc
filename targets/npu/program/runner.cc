#include "targets/npu/program/runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/emulator/emulator.h"

namespace tessera::npu {
namespace {

template <class T>
void Write(T value, uint8_t* to, int64_t i) {
  std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

template <class T>
double Read(const uint8_t* from, int64_t i) {
  T value;
  std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return static_cast<double>(value);
}

// Rounds to nearest, halves to even; NaN is 0. How many numbers are clamped.
template <class T>
int64_t Quantize(const ir::Tensor& values, double scale, uint8_t* to) {
  const double lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  int64_t clamped = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    const double scaled = std::nearbyint(values.AsDouble(i) * scale);
    const double kept = std::isnan(scaled) ? 0 : std::clamp(scaled, lowest, highest);
    clamped += kept == scaled ? 0 : 1;
    Write(static_cast<T>(kept), to, i);
  }
  return clamped;
}

}  // namespace

Runner::Runner(Program program)
    : program_(std::move(program)),
      device_(FindDevice(program_.device)),
      model_(ModelOf(program_)) {
  saturations_.operations.resize(program_.operations.size());
  for (int i = 0; i < kRegionCount; ++i) {
    const Region& region = program_.regions[static_cast<size_t>(i)];
    memory_[static_cast<size_t>(i)] = std::make_shared<Memory>(static_cast<size_t>(region.size));
  }
  Reset();
  Memory& fixed = *memory_[static_cast<size_t>(RegionKind::kReadOnly)];
  const std::optional<ir::Tensor>& data = program_.region(RegionKind::kReadOnly).data;
  if (data.has_value()) std::copy(data->bytes().begin(), data->bytes().end(), fixed.begin());
}

absl::StatusOr<Runner> Runner::Create(Program program) {
  if (absl::Status status = CheckProgram(program); !status.ok()) return status;
  return Runner(std::move(program));
}

void Runner::Reset() {
  const std::optional<ir::Tensor>& data = program_.region(RegionKind::kState).data;
  if (!data.has_value()) return;
  std::copy(data->bytes().begin(), data->bytes().end(),
            memory_[static_cast<size_t>(RegionKind::kState)]->begin());
}

absl::Status Runner::Step(size_t index) {
  const ProgramOperation& operation = program_.operations[index];
  Operation& step = model_.operations[index];
  for (size_t k = 0; k < operation.operands.size(); ++k) {
    const ProgramOperand& operand = operation.operands[k];
    if (k == kOutput || operand.mode != Mode::kDefault) continue;
    const absl::StatusOr<int64_t> bytes =
        BytesAt(program_, operand.shape, operand.type, operand.address);
    if (!bytes.ok()) return bytes.status();
    const std::shared_ptr<Memory>& memory = memory_[static_cast<size_t>(operand.address.region)];
    const absl::StatusOr<ir::Tensor> view = ir::Tensor::View(
        ir::DType::kU8, {*bytes}, memory, {At(operand.address), static_cast<size_t>(*bytes)});
    if (!view.ok()) return view.status();
    step.operands[k].data = *view;
  }
  absl::StatusOr<OperationResult> result = RunOperation(step, *device_);
  if (!result.ok()) return result.status();
  const absl::Span<const uint8_t> bytes = result->output.bytes();
  std::copy(bytes.begin(), bytes.end(), At(operation.operands[kOutput].address));
  saturations_.operations[index] += result->saturations;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Tensor>> Runner::Run(absl::Span<const ir::Tensor> inputs) {
  if (inputs.size() != program_.inputs.size())
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs for ", program_.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Endpoint& input = program_.inputs[i];
    const int64_t bytes = *BytesAt(program_, input.shape, input.type, input.address);
    if (inputs[i].size() * SizeOf(input.type) != bytes)
      return absl::InvalidArgumentError(absl::StrCat("input `", input.name, "`: ", inputs[i].size(),
                                                     " numbers for ", bytes / SizeOf(input.type)));
    uint8_t* to = At(input.address);
    saturations_.inputs +=
        input.type == DataType::kInt8    ? Quantize<int8_t>(inputs[i], input.scale, to)
        : input.type == DataType::kInt16 ? Quantize<int16_t>(inputs[i], input.scale, to)
                                         : Quantize<int32_t>(inputs[i], input.scale, to);
  }
  for (size_t i = 0; i < program_.operations.size(); ++i) {
    if (absl::Status status = Step(i); !status.ok())
      return absl::Status(status.code(), absl::StrCat("operation ", i, ": ", status.message()));
  }
  std::vector<ir::Tensor> outputs;
  for (const Endpoint& output : program_.outputs) {
    absl::StatusOr<ir::Tensor> values = ir::Tensor::Allocate(ir::DType::kF32, output.shape);
    if (!values.ok()) return values.status();
    const uint8_t* from = At(output.address);
    for (int64_t i = 0; i < values->size(); ++i) {
      const double value = output.type == DataType::kInt8    ? Read<int8_t>(from, i)
                           : output.type == DataType::kInt16 ? Read<int16_t>(from, i)
                                                             : Read<int32_t>(from, i);
      values->mutable_data<float>()[i] = static_cast<float>(value / output.scale);
    }
    outputs.push_back(*std::move(values));
  }
  return outputs;
}

}  // namespace tessera::npu

#include "targets/npu/program/program.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/model/check.h"

namespace tessera::npu {
namespace {

constexpr std::string_view kRegionNames[] = {"input", "output", "scratch", "state", "read-only"};

std::string Where(const Address& address) {
  return absl::StrCat("byte ", address.offset, " of region `", std::string(NameOf(address.region)),
                      "`");
}

absl::Status CheckRegions(const Program& program) {
  for (int i = 0; i < kRegionCount; ++i) {
    const auto kind = static_cast<RegionKind>(i);
    const Region& region = program.region(kind);
    const std::string name = absl::StrCat("region `", std::string(NameOf(kind)), "`");
    if (region.size < 0 || region.size > kMostBytes)
      return absl::InvalidArgumentError(
          absl::StrCat(name, " of ", region.size, " bytes: at most ", kMostBytes));
    const bool filled = kind == RegionKind::kState || kind == RegionKind::kReadOnly;
    const int64_t data = region.data.has_value() ? region.data->size() : 0;
    if (data != (filled ? region.size : 0))
      return absl::InvalidArgumentError(
          absl::StrCat(name, " of ", region.size, " bytes has ", data, " bytes of data"));
  }
  return absl::OkStatus();
}

absl::Status CheckEndpoint(const Program& program, const Endpoint& endpoint, const char* what,
                           bool written) {
  const std::string name = absl::StrCat(what, " `", endpoint.name, "`");
  const absl::StatusOr<int64_t> bytes =
      BytesAt(program, endpoint.shape, endpoint.type, endpoint.address);
  if (!bytes.ok())
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", bytes.status().message()));
  if (endpoint.type != DataType::kInt8 && endpoint.type != DataType::kInt16 &&
      endpoint.type != DataType::kInt32)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": of type ", NameOf(endpoint.type), "; a number it must be"));
  if (written && endpoint.address.region == RegionKind::kReadOnly)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": ", Where(endpoint.address), " is not to be written"));
  if (!(endpoint.scale > 0) || !std::isfinite(endpoint.scale))
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": a scale of ", endpoint.scale, ", which is no positive number"));
  return absl::OkStatus();
}

}  // namespace

std::string_view NameOf(RegionKind kind) { return kRegionNames[static_cast<size_t>(kind)]; }

absl::StatusOr<int64_t> BytesAt(const Program& program, const std::vector<int64_t>& shape,
                                DataType type, const Address& address) {
  const int64_t size = SizeOf(type);
  if (size == 0) return absl::InvalidArgumentError("of no type");
  if (static_cast<size_t>(address.region) >= kRegionCount)
    return absl::InvalidArgumentError("in no region");
  int64_t bytes = size;
  for (const int64_t dim : shape) {
    if (dim < 0 || (dim > 0 && bytes > kMostBytes / dim))
      return absl::InvalidArgumentError(absl::StrCat("more than ", kMostBytes, " bytes"));
    bytes *= dim;
  }
  const int64_t room = program.region(address.region).size;
  if (address.offset < 0 || address.offset > room || bytes > room - address.offset)
    return absl::InvalidArgumentError(
        absl::StrCat(bytes, " bytes at ", Where(address), ", which has ", room));
  return bytes;
}

Model ModelOf(const Program& program) {
  const Device* device = FindDevice(program.device);
  const int64_t alignment = device == nullptr ? 1 : device->alignment;
  Model model;
  for (const ProgramOperation& from : program.operations) {
    Operation operation;
    operation.type = from.type;
    operation.parameters = from.parameters;
    for (const ProgramOperand& operand : from.operands) {
      Operand to;
      to.mode = operand.mode;
      to.shape = operand.shape;
      to.type = operand.type;
      to.layout = operand.layout;
      to.address = operand.address.offset % std::max<int64_t>(alignment, 1);
      const absl::StatusOr<int64_t> bytes =
          BytesAt(program, operand.shape, operand.type, operand.address);
      const std::optional<ir::Tensor>& data = program.region(operand.address.region).data;
      if (operand.mode == Mode::kDefault && operand.address.region == RegionKind::kReadOnly &&
          bytes.ok() && data.has_value()) {
        const absl::StatusOr<ir::Tensor> view =
            ir::Tensor::View(ir::DType::kU8, {*bytes}, data->owner(),
                             data->bytes().subspan(static_cast<size_t>(operand.address.offset),
                                                   static_cast<size_t>(*bytes)));
        if (view.ok()) to.data = *view;
      }
      operation.operands.push_back(std::move(to));
    }
    model.operations.push_back(std::move(operation));
  }
  return model;
}

absl::Status CheckProgram(const Program& program) {
  const Device* device = FindDevice(program.device);
  if (device == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("no device `", program.device, "`"));
  if (absl::Status status = CheckRegions(program); !status.ok()) return status;
  for (const Endpoint& input : program.inputs) {
    if (absl::Status status = CheckEndpoint(program, input, "input", true); !status.ok())
      return status;
  }
  for (const Endpoint& output : program.outputs) {
    if (absl::Status status = CheckEndpoint(program, output, "output", false); !status.ok())
      return status;
  }
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& operation = program.operations[i];
    const std::string name =
        absl::StrCat("operation ", i, " (", std::string(FactsOf(operation.type).name), ")");
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      const ProgramOperand& operand = operation.operands[k];
      if (operand.mode != Mode::kDefault) continue;
      const absl::StatusOr<int64_t> bytes =
          BytesAt(program, operand.shape, operand.type, operand.address);
      if (!bytes.ok())
        return absl::InvalidArgumentError(
            absl::StrCat(name, ", operand ", k, ": ", bytes.status().message()));
      if (k == kOutput && operand.address.region == RegionKind::kReadOnly)
        return absl::InvalidArgumentError(absl::StrCat(
            name, ", operand ", k, ": ", Where(operand.address), " is not to be written"));
    }
  }
  const Model model = ModelOf(program);
  if (const std::optional<Violation> violation = CheckModel(model, *device); violation.has_value())
    return absl::InvalidArgumentError(violation->Text(model, device->name));
  return absl::OkStatus();
}

}  // namespace tessera::npu

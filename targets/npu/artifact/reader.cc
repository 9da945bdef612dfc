#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/artifact/digest.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/artifact/npu_generated.h"

namespace tessera::npu {
namespace {

constexpr size_t kMostOperands = 6, kMostDims = 8;

template <class... Parts>
absl::Status Malformed(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::StatusOr<ir::Tensor> BytesOf(const std::vector<uint8_t>& bytes) {
  absl::StatusOr<ir::Tensor> tensor =
      ir::Tensor::Allocate(ir::DType::kU8, {static_cast<int64_t>(bytes.size())});
  if (tensor.ok()) std::copy(bytes.begin(), bytes.end(), tensor->mutable_data<uint8_t>());
  return tensor;
}

absl::Status ToAddress(const std::unique_ptr<file::Address>& from, Address& to) {
  if (from == nullptr) return Malformed("no address");
  if (from->region() >= kRegionCount)
    return Malformed("region ", static_cast<int>(from->region()), " of ", kRegionCount);
  to = {static_cast<RegionKind>(from->region()), from->offset()};
  return absl::OkStatus();
}

absl::Status ToOperand(const file::OperandT& from, ProgramOperand& to) {
  if (from.mode > 0 || from.mode < static_cast<int8_t>(Mode::kAbsent))
    return Malformed("mode ", static_cast<int>(from.mode));
  to.mode = static_cast<Mode>(from.mode);
  if (from.shape.size() > kMostDims) return Malformed(from.shape.size(), " dims");
  to.shape = from.shape;
  to.type = static_cast<DataType>(from.type);
  to.layout = from.layout;
  if (to.mode != Mode::kDefault) return absl::OkStatus();
  if (SizeOf(to.type) == 0) return Malformed("type ", from.type);
  return ToAddress(from.address, to.address);
}

absl::Status ToOperation(const file::OperationT& from, ProgramOperation& to) {
  static constexpr OperationType kTypes[] = {
      OperationType::kConvolution, OperationType::kCopy, OperationType::kFullyConnectedAffine,
      OperationType::kElementWiseAffine, OperationType::kTransposition};
  to.type = static_cast<OperationType>(from.type);
  if (std::find(std::begin(kTypes), std::end(kTypes), to.type) == std::end(kTypes))
    return Malformed("type ", static_cast<int>(from.type));
  if (from.operands.size() > kMostOperands) return Malformed(from.operands.size(), " operands");
  for (size_t i = 0; i < from.operands.size(); ++i) {
    if (absl::Status status = ToOperand(*from.operands[i], to.operands.emplace_back());
        !status.ok())
      return Malformed("operand ", i, ": ", status.message());
  }
  if (to.operands.size() <= kOutput) return Malformed("no output");
  for (const auto& parameter : from.parameters) {
    if (parameter->values.size() > kMostDims || ParameterIndex(to.type, parameter->name) < 0 ||
        !to.parameters.emplace(parameter->name, parameter->values).second)
      return Malformed("parameter `", parameter->name, "` is none, given twice or too long");
  }
  if (from.note == nullptr) return absl::OkStatus();
  const file::NoteT& note = *from.note;
  to.note = {note.name,   note.scope,    note.input_scale,     note.weight_scale, note.output_scale,
             note.proved, note.segments, note.fewest_segments, note.table_error,  note.exact};
  return absl::OkStatus();
}

absl::Status ToEndpoint(const file::EndpointT& from, Endpoint& to) {
  to.name = from.name;
  if (from.shape.size() > kMostDims) return Malformed(from.shape.size(), " dims");
  to.shape = from.shape;
  to.type = static_cast<DataType>(from.type);
  to.scale = from.scale;
  return ToAddress(from.address, to.address);
}

absl::Status ToProgram(const file::ProgramT& from, Program& to) {
  if (from.regions.size() != kRegionCount) return Malformed(from.regions.size(), " regions");
  for (size_t i = 0; i < from.regions.size(); ++i) {
    Region& region = to.regions[i];
    region.size = from.regions[i]->size;
    region.lower_bound = from.regions[i]->lower_bound;
    region.optimal = from.regions[i]->optimal;
    const auto kind = static_cast<RegionKind>(i);
    if (kind != RegionKind::kState && kind != RegionKind::kReadOnly &&
        from.regions[i]->data.empty())
      continue;
    absl::StatusOr<ir::Tensor> data = BytesOf(from.regions[i]->data);
    if (!data.ok()) return data.status();
    region.data = *std::move(data);
  }
  for (size_t i = 0; i < from.operations.size(); ++i) {
    if (absl::Status status = ToOperation(*from.operations[i], to.operations.emplace_back());
        !status.ok())
      return Malformed("operation ", i, ": ", status.message());
  }
  for (const auto& input : from.inputs) {
    if (absl::Status status = ToEndpoint(*input, to.inputs.emplace_back()); !status.ok())
      return Malformed("input `", input->name, "`: ", status.message());
  }
  for (const auto& output : from.outputs) {
    if (absl::Status status = ToEndpoint(*output, to.outputs.emplace_back()); !status.ok())
      return Malformed("output `", output->name, "`: ", status.message());
  }
  for (const auto& state : from.states) to.states.push_back({state->input, state->output});
  return absl::OkStatus();
}

absl::Status ToPorts(const std::vector<std::unique_ptr<file::PortT>>& from,
                     std::vector<NetworkPort>& to) {
  for (const auto& port : from) {
    if (port->type >= ir::kDTypeCount || port->dims.size() > kMostDims)
      return Malformed("`", port->name, "` has no type that there is");
    to.push_back({port->name, static_cast<ir::DType>(port->type), port->dims});
  }
  return absl::OkStatus();
}

FramedValue FramedOf(const file::FrameAxisT& from) {
  return {from.name, from.axis, from.entries, from.delay, from.stride, from.offset};
}

absl::Status CheckFrames(const Bundle& bundle) {
  std::vector<FramedValue> gates;
  for (const Gate& gate : bundle.gates) {
    const absl::StatusOr<int64_t> count = ir::ElementCount(gate.shape, sizeof(float));
    const auto rank = static_cast<int>(gate.shape.size());
    const int64_t size = gate.value.axis >= 0 && gate.value.axis < rank
                             ? gate.shape[static_cast<size_t>(gate.value.axis)]
                             : 0;
    if (!count.ok() || *count > kMostBytes || (size != 1 && size != gate.value.entries))
      return Malformed("the gate `", gate.value.name, "` has no shape that a frame has");
    const GateWindow& window = gate.window;
    if (window.size < 1 || window.size > kMostEntries || window.stride < 1 ||
        window.stride > kMostEntries || window.before < 0 || window.before >= window.size ||
        window.after < 0 || window.after >= window.size || gate.value.stride % window.stride != 0)
      return Malformed("the gate `", gate.value.name, "` is of windows that there are none of");
    // One entry of the frame is that of frames which come so much earlier.
    if (gate.value.delay < 0 && gate.value.delay > -gate.value.entries && size == 1) {
      gates.push_back(gate.value);
      gates.back().delay = 0;
      continue;
    }
    gates.push_back(gate.value);
  }
  for (const auto* list : {&bundle.frame_inputs, &bundle.frame_outputs, &std::as_const(gates)}) {
    for (const FramedValue& value : *list) {
      const auto within = [](int64_t number, int64_t least) {
        return number >= least && number <= kMostEntries;
      };
      if (within(value.entries, 1) && within(value.delay, 0) && within(value.stride, 1) &&
          within(value.offset, -kMostEntries))
        continue;
      return Malformed("`", value.name, "`: frames of ", value.entries, " entries, a delay of ",
                       value.delay, ", a stride of ", value.stride, " or an offset of ",
                       value.offset, ", which none have");
    }
  }
  for (const FramedValue& value : bundle.frame_inputs) {
    if (value.entries != bundle.frame_inputs[0].entries || value.delay != 0)
      return Malformed("inputs whose frames differ");
  }
  for (const FramedValue& value : bundle.frame_outputs) {
    if (value.axis < -1) return Malformed("`", value.name, "` has frames along axis ", value.axis);
    if ((value.delay + std::max<int64_t>(value.offset, 0)) / value.entries > kMostFramesLate)
      return Malformed("`", value.name, "` comes ", value.delay, " entries late, in frames of ",
                       value.entries);
  }
  return absl::OkStatus();
}

absl::Status ToBundle(const file::ArtifactT& from, Bundle& to) {
  to.device = from.device;
  if (absl::Status status = ToPorts(from.inputs, to.inputs); !status.ok()) return status;
  if (absl::Status status = ToPorts(from.outputs, to.outputs); !status.ok()) return status;
  for (const auto& stage : from.stages) {
    Stage& made = to.stages.emplace_back();
    if ((stage->program == nullptr) == (stage->host == nullptr))
      return Malformed("a stage is a program or a graph");
    if (stage->host != nullptr) {
      made.text = stage->host->text;
      made.constants.assign(stage->host->constants.begin(), stage->host->constants.end());
      continue;
    }
    made.program.emplace();
    made.program->device = from.device;
    if (absl::Status status = ToProgram(*stage->program, *made.program); !status.ok())
      return status;
  }
  for (const auto& state : from.host_states) {
    const absl::StatusOr<int64_t> count = ir::ElementCount(state->shape, sizeof(float));
    if (!count.ok() || *count != static_cast<int64_t>(state->initial.size()))
      return Malformed("the state `", state->input, "` has ", state->initial.size(),
                       " values, which is not what its shape says");
    to.host_states.push_back(
        {state->input, state->output,
         ir::Tensor::Of<float>(ir::DType::kF32, state->shape, state->initial)});
  }
  to.frames = from.frames;
  for (const auto& frame : from.frame_inputs) to.frame_inputs.push_back(FramedOf(*frame));
  for (const auto& frame : from.frame_outputs) to.frame_outputs.push_back(FramedOf(*frame));
  for (const auto& gate : from.gates) {
    if (gate->axis == nullptr) return Malformed("a gate without an axis");
    if (gate->kind >= kGateKinds) return Malformed("a gate of the unknown kind ", int{gate->kind});
    to.gates.push_back({FramedOf(*gate->axis),
                        gate->shape,
                        static_cast<GateKind>(gate->kind),
                        {gate->size, gate->step, gate->before, gate->after}});
  }
  to.device_share = from.device_share;
  for (const auto& entry : from.metadata)
    to.metadata[entry->name] = std::string(entry->value.begin(), entry->value.end());
  return absl::OkStatus();
}

}  // namespace

bool IsArtifact(std::string_view first_bytes) {
  return first_bytes.size() >= 8 && first_bytes.substr(4, 4) == file::ArtifactIdentifier();
}

absl::StatusOr<Bundle> ReadArtifact(absl::Span<const uint8_t> bytes) {
  if (!IsArtifact({reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
    return Malformed("no NPU artifact: bytes 4 to 7 are not `", file::ArtifactIdentifier(), "`");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!file::VerifyArtifactBuffer(verifier))
    return Malformed("no NPU artifact: FlatBuffers' verifier refuses its ", bytes.size(), " bytes");
  const file::Artifact* root = file::GetArtifact(bytes.data());
  if (root->version() != kArtifactVersion)
    return Malformed("an artifact of version ", root->version(), "; read is version ",
                     kArtifactVersion);
  const std::optional<ArtifactDigest> digest = DigestIn(bytes);
  if (!digest.has_value() || digest->stored != digest->computed)
    return Malformed("the artifact is damaged: its digest is ",
                     digest.has_value() ? digest->stored.ToString() : "absent",
                     ", that of its bytes another one");
  const std::unique_ptr<file::ArtifactT> artifact(root->UnPack());
  Bundle bundle;
  if (absl::Status status = ToBundle(*artifact, bundle); !status.ok()) return status;
  if (absl::Status status = CheckBundle(bundle); !status.ok()) return status;
  return bundle;
}

absl::Status CheckBundle(const Bundle& bundle) {
  if (FindDevice(bundle.device) == nullptr) return Malformed("no device `", bundle.device, "`");
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    if (!bundle.stages[i].program.has_value()) continue;
    absl::Status status = CheckProgram(*bundle.stages[i].program);
    if (!status.ok()) return Malformed("stage ", i, ": ", status.message());
  }
  if (absl::Status status = CheckFrames(bundle); !status.ok()) return status;
  if (!bundle.frames.empty() && bundle.frame_inputs.empty())
    return Malformed("frames of `", bundle.frames, "`, and no input that has them");
  return absl::OkStatus();
}

}  // namespace tessera::npu

#include <memory>
#include <utility>

#include "targets/npu/artifact/digest.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/artifact/npu_generated.h"

namespace tessera::npu {
namespace {

template <class T, class From, class Convert>
std::vector<std::unique_ptr<T>> Each(const From& from, Convert convert) {
  std::vector<std::unique_ptr<T>> list;
  for (const auto& item : from) {
    auto made = std::make_unique<T>();
    convert(item, *made);
    list.push_back(std::move(made));
  }
  return list;
}

std::unique_ptr<file::Address> AddressOf(const Address& address) {
  return std::make_unique<file::Address>(address.offset, static_cast<uint8_t>(address.region));
}

void FromOperand(const ProgramOperand& from, file::OperandT& to) {
  to.mode = static_cast<int8_t>(from.mode);
  to.shape = from.shape;
  to.type = static_cast<int32_t>(from.type);
  to.layout = from.layout;
  to.address = AddressOf(from.address);
}

std::unique_ptr<file::NoteT> NoteOf(const LayerNote& from) {
  auto note = std::make_unique<file::NoteT>();
  note->name = from.name;
  note->scope = from.scope;
  note->input_scale = from.input_scale;
  note->weight_scale = from.weight_scale;
  note->output_scale = from.output_scale;
  note->proved = from.proved;
  note->segments = from.segments;
  note->fewest_segments = from.fewest_segments;
  note->table_error = from.table_error;
  note->exact = from.exact;
  return note;
}

void FromOperation(const ProgramOperation& from, file::OperationT& to) {
  to.type = static_cast<uint8_t>(from.type);
  to.operands = Each<file::OperandT>(from.operands, FromOperand);
  to.parameters = Each<file::ParameterT>(from.parameters, [](const auto& parameter, auto& made) {
    made.name = parameter.first;
    made.values = parameter.second;
  });
  to.note = NoteOf(from.note);
}

void FromRegion(const Region& from, file::RegionT& to) {
  to.size = from.size;
  to.lower_bound = from.lower_bound;
  to.optimal = from.optimal;
  if (from.data.has_value()) to.data.assign(from.data->bytes().begin(), from.data->bytes().end());
}

void FromEndpoint(const Endpoint& from, file::EndpointT& to) {
  to.name = from.name;
  to.shape = from.shape;
  to.type = static_cast<int32_t>(from.type);
  to.address = AddressOf(from.address);
  to.scale = from.scale;
}

std::unique_ptr<file::ProgramT> ProgramOf(const Program& from) {
  auto program = std::make_unique<file::ProgramT>();
  program->regions = Each<file::RegionT>(from.regions, FromRegion);
  program->operations = Each<file::OperationT>(from.operations, FromOperation);
  program->inputs = Each<file::EndpointT>(from.inputs, FromEndpoint);
  program->outputs = Each<file::EndpointT>(from.outputs, FromEndpoint);
  program->states = Each<file::KeptStateT>(from.states, [](const auto& state, auto& made) {
    made.input = state.input;
    made.output = state.output;
  });
  return program;
}

void FromStage(const Stage& from, file::StageT& to) {
  if (from.program.has_value()) {
    to.program = ProgramOf(*from.program);
    return;
  }
  to.host = std::make_unique<file::HostGraphT>();
  to.host->text = from.text;
  to.host->constants.assign(from.constants.begin(), from.constants.end());
}

void FromState(const HostState& from, file::HostStateT& to) {
  to.input = from.input;
  to.output = from.output;
  to.shape = from.initial.shape();
  for (int64_t i = 0; i < from.initial.size(); ++i)
    to.initial.push_back(static_cast<float>(from.initial.AsDouble(i)));
}

void FromPort(const NetworkPort& from, file::PortT& to) {
  to.name = from.name;
  to.type = static_cast<uint8_t>(from.dtype);
  to.dims = from.dims;
}

void FromFrame(const FramedValue& from, file::FrameAxisT& to) {
  to.name = from.name;
  to.axis = from.axis;
  to.entries = from.entries;
  to.delay = from.delay;
  to.stride = from.stride;
  to.offset = from.offset;
}

}  // namespace

std::string WriteArtifact(const Bundle& bundle) {
  file::ArtifactT artifact;
  artifact.version = kArtifactVersion;
  artifact.digest = std::make_unique<file::Digest>(0, 0);
  artifact.device = bundle.device;
  artifact.inputs = Each<file::PortT>(bundle.inputs, FromPort);
  artifact.outputs = Each<file::PortT>(bundle.outputs, FromPort);
  artifact.stages = Each<file::StageT>(bundle.stages, FromStage);
  artifact.host_states = Each<file::HostStateT>(bundle.host_states, FromState);
  artifact.frames = bundle.frames;
  artifact.frame_inputs = Each<file::FrameAxisT>(bundle.frame_inputs, FromFrame);
  artifact.frame_outputs = Each<file::FrameAxisT>(bundle.frame_outputs, FromFrame);
  artifact.gates = Each<file::GateT>(bundle.gates, [](const Gate& gate, file::GateT& made) {
    made.axis = std::make_unique<file::FrameAxisT>();
    FromFrame(gate.value, *made.axis);
    made.shape = gate.shape;
    made.kind = static_cast<uint8_t>(gate.kind);
    made.size = gate.window.size;
    made.step = gate.window.stride;
    made.before = gate.window.before;
    made.after = gate.window.after;
  });
  artifact.device_share = bundle.device_share;
  artifact.metadata = Each<file::MetadataT>(bundle.metadata, [](const auto& entry, auto& made) {
    made.name = entry.first;
    made.value.assign(entry.second.begin(), entry.second.end());
  });
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(false);
  file::FinishArtifactBuffer(builder, file::Artifact::Pack(builder, &artifact));
  std::string bytes(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  Sign(bytes);
  return bytes;
}

}  // namespace tessera::npu

#include "targets/npu/quantization/quantize.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "planning/memory.h"
#include "targets/npu/quantization/network.h"
#include "targets/npu/quantization/operations.h"
#include "targets/npu/quantization/scales.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostCopied = 65504;  // elements by one copy: aligned, and within the limits

class Emitter {
 public:
  Emitter(const ir::Graph& graph, const Network& network, const QuantizeOptions& options)
      : graph_(graph), network_(network), options_(options) {}

  absl::Status Prepare();  // pairs of states
  absl::StatusOr<Program> Emit(const Scaling& scaling);
  const std::vector<std::pair<size_t, size_t>>& pairs() const { return pairs_; }

 private:
  size_t RootOf(size_t buffer, int64_t& offset) const;
  size_t RootOf(size_t buffer) const {
    int64_t offset = 0;
    return RootOf(buffer, offset);
  }
  DataType TypeOf(size_t buffer) const {
    return network_.buffers[buffer].is_sum ? DataType::kInt32 : options_.numbers;
  }
  int64_t ElementBytes(size_t buffer) const { return SizeOf(TypeOf(buffer)); }
  absl::Status PlanMemory(Program& program);
  absl::Status FillStates(Program& program, const Scaling& scaling);
  absl::Status KeepStates(Program& program);
  Address AddressOf(size_t buffer) const;

  const ir::Graph& graph_;
  const Network& network_;
  const QuantizeOptions& options_;
  std::vector<std::pair<size_t, size_t>> pairs_;  // buffers: what a run finds, what it leaves
  std::vector<Address> addresses_;                // of buffers that are no part
};

size_t Emitter::RootOf(size_t buffer, int64_t& offset) const {
  while (network_.buffers[buffer].owner != kNone) {
    offset += network_.buffers[buffer].offset;
    buffer = network_.buffers[buffer].owner;
  }
  return buffer;
}

Address Emitter::AddressOf(size_t buffer) const {
  int64_t offset = 0;
  Address address = addresses_[RootOf(buffer, offset)];
  address.offset += offset * ElementBytes(buffer);
  return address;
}

absl::Status Emitter::Prepare() {
  for (const KeptState& state : options_.states) {
    size_t from = kNone, to = kNone;
    for (const size_t input : network_.inputs) {
      if (network_.buffers[input].value->name() == state.input) to = input;
    }
    for (size_t i = 0; i < network_.outputs.size(); ++i) {
      if (graph_.output_names()[i] == state.output) from = network_.outputs[i];
    }
    if (from == kNone || to == kNone)
      return absl::InternalError(absl::StrCat("no state from `", state.output, "` to `",
                                              state.input, "` in the device's part"));
    if (network_.buffers[from].is_sum ||
        network_.buffers[from].elements != network_.buffers[to].elements ||
        state.initial.size() != network_.buffers[to].elements)
      return absl::InternalError(absl::StrCat("the state `", state.input, "` has ",
                                              network_.buffers[to].elements, " elements, `",
                                              state.output, "` others"));
    pairs_.push_back({to, from});
  }
  return absl::OkStatus();
}

// Inputs, outputs, what keeps its contents from run to run, and the rest, which shares memory.
absl::Status Emitter::PlanMemory(Program& program) {
  const size_t count = network_.buffers.size();
  std::vector<RegionKind> regions(count, RegionKind::kScratch);
  const auto is_state = [&](size_t buffer) {
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const auto& pair) { return pair.first == buffer; });
  };
  for (size_t i = 0; i < count; ++i) {
    const Buffer& buffer = network_.buffers[i];
    RegionKind& region = regions[RootOf(i)];
    if (buffer.constant != nullptr || is_state(i)) region = RegionKind::kState;
    if (region == RegionKind::kState) continue;
    if (buffer.is_input) region = RegionKind::kInput;
    if (buffer.is_output && region == RegionKind::kScratch) region = RegionKind::kOutput;
  }
  // What a copy does not fill is zero from the beginning on.
  for (const NetworkLayer& layer : network_.layers) {
    if (layer.kind != LayerKind::kCopy || FillsAll(layer)) continue;
    RegionKind& region = regions[RootOf(layer.out)];
    if (region == RegionKind::kScratch || region == RegionKind::kOutput)
      region = RegionKind::kState;
  }
  std::vector<planning::Step> steps(network_.layers.size());
  std::vector<size_t> results;
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    const NetworkLayer& layer = network_.layers[i];
    for (const size_t read : {layer.x, layer.y}) {
      if (read != kNone) steps[i].reads.push_back(RootOf(read));
    }
    steps[i].writes.push_back(RootOf(layer.out));
  }
  for (const size_t output : network_.outputs) results.push_back(RootOf(output));
  const std::vector<planning::Lifetime> lifetimes = planning::Lifetimes(steps, count, results);
  std::vector<planning::Value> values;
  std::vector<size_t> roots;
  for (size_t i = 0; i < count; ++i) {
    if (network_.buffers[i].owner != kNone) continue;
    planning::Value value;
    value.name = network_.buffers[i].value->name();
    value.begin = lifetimes[i].begin;
    value.end = std::max(lifetimes[i].end, lifetimes[i].begin + 1);
    value.size = network_.buffers[i].elements * ElementBytes(i);
    value.alignment = options_.device->alignment;
    value.region = static_cast<size_t>(regions[i]);
    values.push_back(std::move(value));
    roots.push_back(i);
  }
  std::vector<planning::Region> kinds;
  for (int i = 0; i < kRegionCount; ++i) {
    const auto kind = static_cast<RegionKind>(i);
    kinds.push_back({std::string(NameOf(kind)), kind == RegionKind::kScratch});
  }
  const absl::StatusOr<planning::MemoryPlan> plan = planning::PlanMemory(values, kinds);
  if (!plan.ok()) return plan.status();
  addresses_.assign(count, {});
  for (size_t i = 0; i < roots.size(); ++i)
    addresses_[roots[i]] = {regions[roots[i]], plan->offsets[i]};
  for (size_t i = 0; i < plan->regions.size(); ++i) {
    program.regions[i].size = plan->regions[i].size;
    program.regions[i].lower_bound = plan->regions[i].lower_bound;
    program.regions[i].optimal = plan->regions[i].optimal;
  }
  return absl::OkStatus();
}

absl::Status Emitter::FillStates(Program& program, const Scaling& scaling) {
  Region& region = program.region(RegionKind::kState);
  absl::StatusOr<ir::Tensor> data = ir::Tensor::Allocate(ir::DType::kU8, {region.size});
  if (!data.ok()) return data.status();
  const auto fill = [&](size_t buffer, const ir::Tensor& values) {
    uint8_t* to = data->mutable_data<uint8_t>() + AddressOf(buffer).offset;
    for (int64_t i = 0; i < values.size(); ++i) {
      const int64_t number =
          NearestNumber(values.AsDouble(i) * scaling.buffers[buffer], options_.numbers);
      const auto wide = static_cast<int16_t>(number);
      const auto narrow = static_cast<int8_t>(number);
      if (options_.numbers == DataType::kInt8) {
        std::memcpy(to + i, &narrow, 1);
      } else {
        std::memcpy(to + i * 2, &wide, 2);
      }
    }
  };
  for (size_t i = 0; i < network_.buffers.size(); ++i) {
    if (network_.buffers[i].constant != nullptr) fill(i, *network_.buffers[i].constant);
  }
  for (size_t i = 0; i < pairs_.size(); ++i) fill(pairs_[i].first, options_.states[i].initial);
  region.data = *std::move(data);
  return absl::OkStatus();
}

// At the end of a run, when all has been read.
absl::Status Emitter::KeepStates(Program& program) {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [to, from] = pairs_[i];
    program.states.push_back({options_.states[i].input, options_.states[i].output});
    const int64_t elements = network_.buffers[to].elements;
    for (int64_t begin = 0; begin < elements; begin += kMostCopied) {
      const int64_t count = std::min(kMostCopied, elements - begin);
      ProgramOperation copy =
          CopyOf(count, options_.numbers, AddressOf(from), AddressOf(to), begin);
      copy.note.name = options_.states[i].input;
      program.operations.push_back(std::move(copy));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Program> Emitter::Emit(const Scaling& scaling) {
  Program program;
  program.device = options_.device->name;
  if (absl::Status status = PlanMemory(program); !status.ok()) return status;
  if (absl::Status status = FillStates(program, scaling); !status.ok()) return status;
  ReadOnlyData data(options_.device->alignment);
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    const NetworkLayer& layer = network_.layers[i];
    const Address x = AddressOf(layer.x), out = AddressOf(layer.out);
    const Address y = layer.y == kNone ? Address() : AddressOf(layer.y);
    program.operations.push_back(
        OperationOf(layer, scaling.layers[i], *options_.device, options_.numbers, x, y, out, data));
  }
  if (absl::Status status = KeepStates(program); !status.ok()) return status;
  absl::StatusOr<ir::Tensor> bytes = data.Take();
  if (!bytes.ok()) return bytes.status();
  Region& fixed = program.region(RegionKind::kReadOnly);
  fixed.size = fixed.lower_bound = bytes->size();
  fixed.optimal = true;
  fixed.data = *std::move(bytes);
  const auto endpoint = [&](const std::string& name, size_t buffer) {
    const ir::Value& value = *network_.buffers[buffer].value;
    Endpoint end;
    end.name = name;
    for (const ir::Expr& dim : value.type().dims) end.shape.push_back(*dim.Constant());
    end.type = TypeOf(buffer);
    end.address = AddressOf(buffer);
    end.scale = scaling.buffers[buffer];
    return end;
  };
  const auto is_state = [&](const std::string& name, std::string KeptState::*field) {
    return std::any_of(options_.states.begin(), options_.states.end(),
                       [&](const KeptState& state) { return state.*field == name; });
  };
  for (const size_t input : network_.inputs) {
    const std::string& name = network_.buffers[input].value->name();
    if (!is_state(name, &KeptState::input)) program.inputs.push_back(endpoint(name, input));
  }
  for (size_t i = 0; i < network_.outputs.size(); ++i)
    program.outputs.push_back(endpoint(graph_.output_names()[i], network_.outputs[i]));
  if (absl::Status status = CheckProgram(program); !status.ok()) return status;
  return program;
}

}  // namespace

absl::StatusOr<Program> Quantize(ir::Graph& graph, const Ranges& ranges,
                                 const QuantizeOptions& options, std::vector<Misfit>& misfits) {
  absl::flat_hash_set<std::string> narrow;
  for (const KeptState& state : options.states) narrow.insert(state.output);
  const absl::StatusOr<Network> network = NetworkOf(graph, narrow, misfits);
  if (!network.ok()) return network.status();
  if (!misfits.empty()) return Program();
  Emitter emitter(graph, *network, options);
  if (absl::Status status = emitter.Prepare(); !status.ok()) return status;
  const absl::StatusOr<Scaling> scaling =
      ScalesOf(*network, ranges, emitter.pairs(), options, misfits);
  if (!scaling.ok()) return scaling.status();
  if (!misfits.empty()) return Program();
  return emitter.Emit(*scaling);
}

}  // namespace tessera::npu

#include "targets/npu/compile.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontends/data/data_set.h"
#include "ir/registry.h"
#include "nests/library.h"
#include "support/random_tensor.h"
#include "targets/npu/agreement.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/quantization/deploy.h"

namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> NpuLayersNests();
}  // namespace tessera::ops

namespace tessera::npu {
namespace {

constexpr int kRandomSamples = 8;
constexpr int64_t kRandomFrames = 16;

DataType NumbersOf(const CompileOptions& options) {
  return options.int8_activations ? DataType::kInt8 : DataType::kInt16;
}

std::vector<NetworkPort> PortsOf(const std::vector<ir::Value*>& values,
                                 const std::vector<std::string>& names) {
  std::vector<NetworkPort> ports;
  for (size_t i = 0; i < values.size(); ++i) {
    NetworkPort port;
    port.name = names[i];
    port.dtype = values[i]->type().dtype;
    for (const ir::Expr& dim : values[i]->type().dims)
      port.dims.push_back(dim.Constant().value_or(-1));
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<std::string> NamesOf(const std::vector<ir::Value*>& values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

std::vector<FramedValue> Framed(const std::vector<FrameAxis>& axes) {
  std::vector<FramedValue> framed;
  for (const FrameAxis& axis : axes)
    framed.push_back({axis.name, static_cast<int>(axis.axis), axis.entries, axis.delay, axis.stride,
                      axis.offset});
  return framed;
}

// Why inputs are none of the network's: `input` has other sizes; empty: they are.
std::string Misfit(const std::vector<NetworkPort>& ports, const std::vector<ir::Tensor>& inputs) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::vector<int64_t>& dims = ports[i].dims;
    const std::vector<int64_t>& shape = inputs[i].shape();
    bool fits = dims.size() == shape.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) fits = dims[d] == -1 || dims[d] == shape[d];
    if (!fits)
      return absl::StrCat("`", ports[i].name, "` is [", absl::StrJoin(shape, ","), "] there, and [",
                          absl::StrJoin(dims, ","), "] here");
  }
  return "";
}

// One sample after the other from folders; sets of other sizes than the network's are passed over.
class StoredSamples {
 public:
  static absl::StatusOr<StoredSamples> Open(const std::string& folder,
                                            std::vector<NetworkPort> inputs) {
    absl::StatusOr<std::vector<std::string>> sets = data::FindDataSets(folder);
    if (!sets.ok()) return sets.status();
    if (sets->empty())
      return absl::InvalidArgumentError(
          absl::StrCat("`", folder, "` has no `test_data_set_K` to calibrate with"));
    return StoredSamples(*std::move(sets), std::move(inputs));
  }
  absl::StatusOr<bool> Next(std::vector<ir::Tensor>& inputs) {
    std::vector<std::string> names;
    for (const NetworkPort& port : inputs_) names.push_back(port.name);
    for (; next_ < sets_.size(); ++next_) {
      const absl::StatusOr<data::DataSet> set = data::ReadDataSet(sets_[next_]);
      if (!set.ok()) return set.status();
      absl::StatusOr<std::vector<ir::Tensor>> arranged = data::Arranged(*set, names);
      if (!arranged.ok())
        return absl::Status(arranged.status().code(),
                            absl::StrCat("`", sets_[next_], "`: ", arranged.status().message()));
      const std::string misfit = Misfit(inputs_, *arranged);
      if (misfit.empty()) {
        inputs = *std::move(arranged);
        ++next_;
        return true;
      }
      passed_over_.push_back(absl::StrCat("`", set->name, "`: ", misfit));
    }
    if (passed_over_.size() == sets_.size())
      return absl::InvalidArgumentError(
          absl::StrCat("no set of data has the network's sizes: ", passed_over_[0]));
    return false;
  }
  const std::vector<std::string>& passed_over() const { return passed_over_; }

 private:
  StoredSamples(std::vector<std::string> sets, std::vector<NetworkPort> inputs)
      : sets_(std::move(sets)), inputs_(std::move(inputs)) {}
  std::vector<std::string> sets_;
  std::vector<NetworkPort> inputs_;
  size_t next_ = 0;
  std::vector<std::string> passed_over_;  // with the reason
};

// Seeded, within the range that the scales leave the integers.
absl::StatusOr<bool> RandomSample(const Bundle& bundle, const CompileOptions& options, int sample,
                                  std::vector<ir::Tensor>& inputs) {
  if (sample == kRandomSamples) return false;
  for (size_t i = 0; i < bundle.inputs.size(); ++i) {
    const NetworkPort& port = bundle.inputs[i];
    std::vector<int64_t> shape = port.dims;
    std::replace(shape.begin(), shape.end(), int64_t{-1}, kRandomFrames * options.frame);
    const absl::StatusOr<ir::Tensor> unit =
        support::RandomTensor(ir::DType::kF32, shape, static_cast<uint64_t>(sample) * 100 + i);
    if (!unit.ok()) return unit.status();
    double greatest = 1e-9;
    for (int64_t k = 0; k < unit->size(); ++k)
      greatest = std::max(greatest, std::abs(unit->AsDouble(k)));
    const double range = GreatestOfType(NumbersOf(options)) / options.scales.at(port.name);
    std::vector<double> values;
    for (int64_t k = 0; k < unit->size(); ++k)
      values.push_back(unit->AsDouble(k) / greatest * range);
    inputs.push_back(ir::Tensor::Of<double>(port.dtype, shape, values));
  }
  return true;
}

// Inputs that are quantized and nothing else first of all have the range that this says.
void TakeScales(const ir::Graph& graph, double most, std::map<std::string, double>& scales,
                std::vector<std::string>& remarks) {
  std::vector<std::string> taken;
  for (const ir::Value* input : graph.inputs()) {
    double greatest = 0;
    bool all = !input->UsesUnsorted().empty();
    for (const ir::Use& use : input->UsesUnsorted()) {
      const auto range = use.op->results().size() == 1 ? RoundedRangeOf(*use.op->result())
                                                       : std::optional<RoundedRange>();
      all = all && range.has_value();
      if (all) greatest = std::max({greatest, -range->low, range->high});
    }
    if (!all || !(greatest > 0) || scales.contains(input->name())) continue;
    scales[input->name()] = most / greatest;
    taken.push_back(absl::StrCat("`", input->name(), "`"));
  }
  if (!taken.empty())
    remarks.push_back(
        absl::StrCat("scales that the network says itself: of ", absl::StrJoin(taken, ", ")));
}

absl::Status CheckScales(const Bundle& bundle, const CompileOptions& options) {
  const std::vector<NetworkPort>& inputs = bundle.inputs;
  for (const auto& [name, scale] : options.scales) {
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&name = name](const NetworkPort& port) { return port.name == name; }))
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat("`--scale ", name, "=...`: the inputs are ",
                     absl::StrJoin(inputs, ", ", [](std::string* out, const NetworkPort& port) {
                       absl::StrAppend(out, "`", port.name, "`");
                     })));
  }
  if (options.calibration.empty() && options.scales.size() != inputs.size())
    return absl::InvalidArgumentError(
        "what values the network has is not known: give `--calibrate FOLDER`, or a `--scale` for "
        "each input");
  return absl::OkStatus();
}

// What came of the first sample, so that nobody takes an artifact for exact that is not.
absl::Status RemarkOnAgreement(const ir::Graph& graph, const std::vector<ir::Tensor>& sample,
                               double least, Compiled& compiled) {
  const absl::StatusOr<std::vector<double>> all = SnrOf(graph, compiled.bundle, sample);
  if (!all.ok()) return all.status();
  std::vector<std::string> texts;
  bool low = false;
  for (size_t k = 0; k < all->size(); ++k) {
    low |= !((*all)[k] >= least);
    texts.push_back(absl::StrFormat("`%s` %.1f dB", compiled.bundle.outputs[k].name, (*all)[k]));
  }
  compiled.remarks.push_back(absl::StrCat(
      low ? "warning: " : "",
      "the first sample's outputs against the network in floats: ", absl::StrJoin(texts, ", "),
      low ? absl::StrFormat(", which is less than the %.0f dB that are aimed at", least) : ""));
  return absl::OkStatus();
}

// Which sums may leave 32 bits for inputs that calibration did not see.
std::vector<std::string> RemarksOn(const Bundle& bundle) {
  size_t sums = 0;
  std::vector<std::string> unproved;
  for (const Stage& stage : bundle.stages) {
    if (!stage.program.has_value()) continue;
    for (const ProgramOperation& operation : stage.program->operations) {
      sums += operation.note.weight_scale > 0 ? 1 : 0;
      if (!operation.note.proved) unproved.push_back(absl::StrCat("`", operation.note.scope, "`"));
    }
  }
  std::vector<std::string> remarks = {absl::StrCat("the sums of ", sums - unproved.size(), " of ",
                                                   sums,
                                                   " layers are proved to stay within 32 bits")};
  if (unproved.empty()) return remarks;
  unproved.erase(std::unique(unproved.begin(), unproved.end()), unproved.end());
  remarks.push_back(absl::StrCat("by calibration alone, with twice the room that it took: ",
                                 absl::StrJoin(unproved, ", ")));
  return remarks;
}

}  // namespace

double LeastSnr(const CompileOptions& options, bool drops_rounding) {
  constexpr double kOfInt16 = 40, kOfInt8 = 25;
  return options.int8_activations || options.int8_weights || drops_rounding ? kOfInt8 : kOfInt16;
}

void RegisterOperations() {
  static const bool once = [] {
    RegisterLayers();
    nests::Library::Global().Add(ops::CoreNests());
    nests::Library::Global().Add(ops::NpuLayersNests());
    return true;
  }();
  static_cast<void>(once);
}

absl::StatusOr<Compiled> Compile(ir::Graph& graph, CompileOptions options) {
  RegisterOperations();
  Compiled compiled;
  Bundle& bundle = compiled.bundle;
  bundle.device = options.device->name;
  bundle.inputs = PortsOf(graph.inputs(), NamesOf(graph.inputs()));
  bundle.outputs = PortsOf(graph.outputs(), graph.output_names());
  TakeScales(graph, GreatestOfType(NumbersOf(options)), options.scales, compiled.remarks);
  if (absl::Status status = CheckScales(bundle, options); !status.ok()) return status;
  Options legal;
  legal.widths.input = NumbersOf(options);
  if (options.int8_weights) legal.widths.weights = DataType::kInt8;
  legal.host_fallback = options.host_fallback;
  legal.stream = options.stream;
  legal.frame = options.frame;
  absl::StatusOr<Plan> plan = Legalize(graph, *options.device, legal);
  if (!plan.ok()) return plan.status();
  bundle.frames = plan->frames;
  bundle.frame_inputs = Framed(plan->frame_inputs);
  bundle.frame_outputs = Framed(plan->frame_outputs);
  for (const State& state : plan->states)
    bundle.host_states.push_back({state.input, state.output, state.initial});
  for (const FrameGate& gate : plan->gates)
    bundle.gates.push_back({Framed({gate.axis})[0], gate.shape});
  const int64_t work = plan->device_work + plan->host_work;
  if (work > 0)
    bundle.device_share = static_cast<double>(plan->device_work) / static_cast<double>(work);
  std::vector<FloatStage> stages;
  for (const Stretch& stretch : plan->stretches) {
    const bool on_device = stretch.side == Stretch::Side::kDevice;
    stages.push_back({stretch.graph.get(), on_device});
    for (const ir::Operation* op : stretch.graph->TopologicalOrder())
      compiled.drops_rounding |=
          on_device && op->results().size() == 1 && RoundedRangeOf(*op->result()).has_value();
  }
  if (compiled.drops_rounding)
    compiled.remarks.push_back(
        "where the network rounds values to steps the device has its own numbers between them");
  QuantizeOptions quantize;
  quantize.device = options.device;
  quantize.int8_weights = options.int8_weights;
  quantize.numbers = NumbersOf(options);
  quantize.pwl_max_error = options.pwl_max_error;
  quantize.scales = options.scales;
  // Products with 1 then keep every bit where the table can shift it away again.
  for (const Gate& gate : bundle.gates)
    quantize.scales[gate.value.name] = (GreatestOfType(NumbersOf(options)) + 1) / 2.0;
  absl::Status status;
  std::vector<ir::Tensor> first;
  if (!options.calibration.empty()) {
    absl::StatusOr<StoredSamples> samples = StoredSamples::Open(options.calibration, bundle.inputs);
    if (!samples.ok()) return samples.status();
    status = Deploy(
        stages,
        [&](std::vector<ir::Tensor>& inputs) {
          absl::StatusOr<bool> more = samples->Next(inputs);
          if (first.empty()) first = inputs;
          return more;
        },
        quantize, bundle);
    for (const std::string& set : samples->passed_over())
      compiled.remarks.push_back(absl::StrCat("not calibrated with ", set));
  } else {
    int sample = 0;
    status = Deploy(
        stages,
        [&](std::vector<ir::Tensor>& inputs) {
          absl::StatusOr<bool> more = RandomSample(bundle, options, sample++, inputs);
          if (first.empty()) first = inputs;
          return more;
        },
        quantize, bundle);
    compiled.remarks.push_back(
        "calibrated with seeded random inputs of the ranges that the scales say");
  }
  if (!status.ok()) return status;
  status = RemarkOnAgreement(graph, first, LeastSnr(options, compiled.drops_rounding), compiled);
  if (!status.ok()) return status;
  for (std::string& remark : RemarksOn(bundle)) compiled.remarks.push_back(std::move(remark));
  return compiled;
}

}  // namespace tessera::npu

#include "targets/npu/compile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "nests/library.h"
#include "targets/npu/agreement.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/quantization/deploy.h"
#include "targets/npu/samples.h"

namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> NpuLayersNests();
}  // namespace tessera::ops

namespace tessera::npu {
namespace {

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
  const absl::StatusOr<std::vector<Agreement>> all = AgreementsOf(graph, compiled.bundle, sample);
  if (!all.ok()) return all.status();
  std::vector<std::string> texts;
  bool low = false;
  compiled.snr = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < all->size(); ++k) {
    const auto [snr, left_out] = (*all)[k];
    compiled.snr = std::min(compiled.snr, snr);
    low |= snr < least;
    const std::string& name = compiled.bundle.outputs[k].name;
    texts.push_back(std::isnan(snr) ? absl::StrFormat("`%s` has no finite elements", name)
                    : left_out > 0
                        ? absl::StrFormat("`%s` %.1f dB, without elements that are not finite (%d)",
                                          name, snr, left_out)
                        : absl::StrFormat("`%s` %.1f dB", name, snr));
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

// What a plan says of the bundle besides its stages.
void Describe(const Plan& plan, Bundle& bundle) {
  bundle.frames = plan.frames;
  bundle.frame_inputs = Framed(plan.frame_inputs);
  bundle.frame_outputs = Framed(plan.frame_outputs);
  for (const State& state : plan.states)
    bundle.host_states.push_back({state.input, state.output, state.initial});
  for (const FrameGate& gate : plan.gates)
    bundle.gates.push_back({Framed({gate.axis})[0], gate.shape, gate.kind, gate.window});
  const int64_t work = plan.device_work + plan.host_work;
  if (work > 0)
    bundle.device_share = static_cast<double>(plan.device_work) / static_cast<double>(work);
}

QuantizeOptions QuantizeOptionsOf(const CompileOptions& options, const Bundle& bundle) {
  QuantizeOptions quantize;
  quantize.device = options.device;
  quantize.int8_weights = options.int8_weights;
  quantize.numbers = NumbersOf(options);
  quantize.pwl_max_error = options.pwl_max_error;
  quantize.scales = options.scales;
  // Products with 1 then keep every bit where the table can shift it away again.
  for (const Gate& gate : bundle.gates) {
    double most = 1;  // a power of 2 that no number of it is above
    while (most < static_cast<double>(gate.window.size)) most *= 2;
    quantize.scales[gate.value.name] = (GreatestOfType(NumbersOf(options)) + 1) / (2.0 * most);
    if (gate.kind != GateKind::kSizeByThere) quantize.gates.insert(gate.value.name);
  }
  return quantize;
}

// Lowerings take differences and products, which of infinite values are no numbers.
absl::Status RefusalOfEndless(const std::vector<Misfit>& misfits) {
  std::set<std::string> lines;
  for (const Misfit& misfit : misfits) {
    if (misfit.endless) lines.insert(absl::StrCat("\n  at `", misfit.scope, "`: ", misfit.reason));
  }
  if (lines.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "the NPU computes with finite values; a mask takes a number like -1e4 in place of infinity:",
      absl::StrJoin(lines, "")));
}

// Whether there is something among `found` that `known` lacks, which it has afterwards.
bool Learn(std::vector<Misfit>& found, std::map<std::string, Misfit>& known) {
  bool news = false;
  for (Misfit& misfit : found) {
    const std::string scope = misfit.scope;
    const auto [place, fresh] = known.emplace(scope, misfit);
    if (!fresh && place->second.tables && !misfit.tables) {
      place->second = std::move(misfit);
      news = true;
    }
    news |= fresh;
  }
  return news;
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

namespace {

// With tables of the error that the options say.
absl::StatusOr<Compiled> CompileOnce(ir::Graph& graph, CompileOptions options) {
  Compiled compiled;
  Bundle ports;
  ports.device = options.device->name;
  ports.inputs = PortsOf(graph.inputs(), NamesOf(graph.inputs()));
  ports.outputs = PortsOf(graph.outputs(), graph.output_names());
  TakeScales(graph, GreatestOfType(NumbersOf(options)), options.scales, compiled.remarks);
  if (absl::Status status = CheckScales(ports, options); !status.ok()) return status;
  absl::StatusOr<Samples> samples = Samples::Open(options, ports.inputs);
  if (!samples.ok()) return samples.status();
  Options legal;
  legal.widths.input = NumbersOf(options);
  if (options.int8_weights) legal.widths.weights = DataType::kInt8;
  legal.host_fallback = options.host_fallback;
  legal.stream = options.stream;
  legal.frame = options.frame;
  std::vector<ir::Tensor> first;
  const auto next = [&](std::vector<ir::Tensor>& inputs) {
    absl::StatusOr<bool> more = samples->Next(inputs);
    if (first.empty()) first = inputs;
    return more;
  };
  std::set<std::string> endless;
  // What only the values show to be none of the device's is the host's in the next round, or
  // refused; each round finds some, so that they end.
  for (std::vector<Misfit> misfits;; misfits.clear()) {
    absl::StatusOr<Plan> plan = Legalize(graph, *options.device, legal);
    if (!plan.ok()) return plan.status();
    compiled.bundle = ports;
    Describe(*plan, compiled.bundle);
    std::vector<FloatStage> stages;
    compiled.drops_rounding = false;
    for (const Stretch& stretch : plan->stretches) {
      const bool on_device = stretch.side == Stretch::Side::kDevice;
      stages.push_back({stretch.graph.get(), on_device});
      for (const ir::Operation* op : stretch.graph->TopologicalOrder())
        compiled.drops_rounding |=
            on_device && op->results().size() == 1 && RoundedRangeOf(*op->result()).has_value();
    }
    samples->Rewind();
    endless.clear();
    const absl::Status status = Deploy(stages, next, QuantizeOptionsOf(options, compiled.bundle),
                                       compiled.bundle, misfits, endless);
    if (!status.ok()) return status;
    if (misfits.empty()) break;
    if (absl::Status refusal = RefusalOfEndless(misfits); !refusal.ok()) return refusal;
    if (!Learn(misfits, legal.misfits))
      return absl::UnimplementedError(absl::StrCat("`", misfits[0].scope, "`: ", misfits[0].reason,
                                                   ", and it has no place on the host"));
  }
  for (const auto& [scope, misfit] : legal.misfits)
    compiled.remarks.push_back(absl::StrCat("on the host: `", scope, "`: ", misfit.reason));
  if (compiled.drops_rounding)
    compiled.remarks.push_back(
        "where the network rounds values to steps the device has its own numbers between them");
  for (const std::string& set : samples->passed_over())
    compiled.remarks.push_back(absl::StrCat("not calibrated with ", set));
  if (samples->random())
    compiled.remarks.push_back(
        "calibrated with seeded random inputs of the ranges that the scales say");
  for (const std::string& output : endless)
    compiled.remarks.push_back(absl::StrCat("warning: calibration finds values of `", output,
                                            "` that are not finite, which the device has not"));
  const absl::Status status =
      RemarkOnAgreement(graph, first, LeastSnr(options, compiled.drops_rounding), compiled);
  if (!status.ok()) return status;
  for (std::string& remark : RemarksOn(compiled.bundle))
    compiled.remarks.push_back(std::move(remark));
  return compiled;
}

}  // namespace

absl::StatusOr<Compiled> Compile(ir::Graph& graph, CompileOptions options) {
  constexpr double kParts[] = {4, 16};  // of the error that tables have otherwise
  constexpr double kNear = 6;           // dB above what is aimed at
  RegisterOperations();
  absl::StatusOr<Compiled> best = CompileOnce(graph, options);
  const double error = options.pwl_max_error;
  for (const double part : kParts) {
    if (!best.ok() || !options.any_pwl_error ||
        best->snr >= LeastSnr(options, best->drops_rounding) + kNear)
      break;
    options.pwl_max_error = error / part;
    absl::StatusOr<Compiled> finer = CompileOnce(graph, options);
    if (!finer.ok() || !(finer->snr > best->snr) ||
        finer->bundle.device_share < best->bundle.device_share)
      continue;
    best = std::move(finer);
    best->remarks.push_back(absl::StrFormat(
        "tables with an error of %g %%, since those of %g %% came less near to the network",
        options.pwl_max_error * 100, error * 100));
  }
  return best;
}

}  // namespace tessera::npu

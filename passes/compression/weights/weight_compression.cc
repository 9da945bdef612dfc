#include "passes/compression/weights/weight_compression.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/packed_product.h"
#include "passes/compression/weights/refitted.h"
#include "passes/compression/weights/tabled_product.h"
#include "passes/compression/weights/targets.h"
#include "passes/compression/weights/weight_matrix.h"
#include "passes/compression/weights/weight_settings.h"

namespace tessera::compression {
namespace {

constexpr char kName[] = "weight_compression";
// From which ONNX has codes of 4 bits, and blocks.
constexpr int64_t kBlocksSince = 21;
// And scales that are powers of two.
constexpr int64_t kBinaryScalesSince = 24;

// How one weight is to be stored.
struct Choice {
  const WeightTarget* target = nullptr;
  bool primary = false, packed = false;
  std::optional<PlainProduct> node;  // of the target
  std::string why_backup;
  double sensitivity = 0;
};

struct FittedWeight {
  const WeightTarget* target = nullptr;
  GroupedScheme scheme;
  GroupedCodes codes;
  double snr = 0;  // of the product's result, what its own rounding leaves; 0: not measured
};

MatrixLayout LayoutOf(const WeightTarget& target) {
  return {target.point.value->constant()->shape(), target.axis};
}

class WeightCompressionBuilder : public Builder {
 public:
  explicit WeightCompressionBuilder(WeightSettings settings) : settings_(std::move(settings)) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, settings_.targets, settings_.ignored);
    if (!filter.ok()) return filter.status();
    if (settings_.primary.binary_scales && context.addresses.source().opset < kBinaryScalesSince)
      return absl::UnimplementedError(absl::StrCat("`mode: mxfp4` needs opset ", kBinaryScalesSince,
                                                   ", from which ONNX has scales of e8m0; "
                                                   "the model has ",
                                                   context.addresses.source().opset));
    if (settings_.format == WeightSettings::Format::kLookup &&
        context.addresses.source().opset < kBlocksSince)
      return absl::UnimplementedError(
          absl::StrCat("`format: lookup` needs opset ", kBlocksSince,
                       ", from which ONNX has codes of 4 bits; the model has ",
                       context.addresses.source().opset));
    if (absl::Status status = CheckBlocks(context.addresses.source().opset); !status.ok())
      return status;
    absl::StatusOr<WeightTargets> found = FindWeights(context, *filter);
    if (!found.ok()) return found.status();
    out_of_reach_ = found->out_of_reach;
    for (const LeftAsIs& left : found->left) Leave(left.scope, left.reason);
    std::vector<Choice> choices;
    for (const WeightTarget& target : found->targets) choices.push_back(Choose(context, target));
    if (absl::Status status = ApplyRatio(context, found->targets, choices); !status.ok())
      return status;
    std::vector<FittedWeight> weights;
    std::vector<const Choice*> chosen;
    for (const Choice& choice : choices) {
      if (!choice.primary && !settings_.has_backup) {
        Leave(choice.target->point.scope, choice.why_backup);
        continue;
      }
      FittedWeight weight{choice.target, SchemeFor(context, choice), {}, 0};
      if (BytesAfter(choice, weight.scheme) >= BytesBefore(*choice.target)) {
        const int64_t inputs = LayoutOf(*choice.target).inputs();
        const bool wide = choice.packed && weight.scheme.group > inputs;
        too_wide_ += wide ? 1 : 0;
        Leave(choice.target->point.scope,
              wide ? absl::StrCat("would not become smaller: it has ", inputs,
                                  " inputs, and a group is stored as ", weight.scheme.group)
                   : "would not become smaller");
        continue;
      }
      weights.push_back(std::move(weight));
      chosen.push_back(&choice);
    }
    if (absl::Status status = Fit(context, weights); !status.ok()) return status;
    std::vector<Command> commands;
    for (size_t i = 0; i < weights.size(); ++i) Ask(*chosen[i], weights[i], commands);
    Summarize(weights.size());
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  // Without blocks of ONNX's own, codes of 4 bits are MatMulNBits', or none at all.
  absl::Status CheckBlocks(int64_t opset) const {
    const GroupedScheme& scheme = settings_.primary;
    if (opset >= kBlocksSince || scheme.bits != 4 || scheme.levels != nullptr)
      return absl::OkStatus();
    const std::string needs =
        absl::StrCat(" needs opset ", kBlocksSince,
                     ", from which ONNX has codes of 4 bits; the model has ", opset);
    if (settings_.format == WeightSettings::Format::kBlocks)
      return absl::UnimplementedError(absl::StrCat("`format: dequantize_linear`", needs));
    if (IsPackableGroup(scheme.group)) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "`group_size: ", scheme.group == 0 ? -1 : scheme.group, "`", needs,
        ". `MatMulNBits`, which older ones get, has groups of a power of two from 16 on"));
  }

  void Leave(const std::string& scope, const std::string& reason) {
    LayerReport layer;
    layer.scope = scope;
    layer.reason = reason;
    layers_.push_back(std::move(layer));
    ++left_;
  }

  Choice Choose(const BuildContext& context, const WeightTarget& target) const {
    Choice choice{&target, false, false, std::nullopt, "", 0};
    if (settings_.primary.bits == 8) {
      choice.primary = true;
      return choice;
    }
    const auto backup = [&](std::string why) {
      choice.why_backup = std::move(why);
      return choice;
    };
    if (!settings_.all_layers) {
      if (target.table) return backup("is a table (`all_layers`)");
      if (!target.matrix) return backup("is no product with a matrix (`all_layers`)");
      if (target.last) return backup("is the last product (`all_layers`)");
    }
    if (IsTabled(settings_.format)) return ChooseTabled(context, std::move(choice));
    const bool can_blocks =
        context.addresses.source().opset >= kBlocksSince && settings_.primary.bits == 4;
    if (settings_.format != WeightSettings::Format::kPacked && can_blocks) {
      choice.primary = true;
      return choice;
    }
    if (settings_.format == WeightSettings::Format::kBlocks)
      return backup(absl::StrCat("blocks of codes need opset ", kBlocksSince, ", the model has ",
                                 context.addresses.source().opset));
    choice.node = PlainNode(context, target);
    if (!choice.node || !IsPackableGroup(settings_.primary.group))
      return backup(
          absl::StrCat("its node is no product that `MatMulNBits` computes",
                       can_blocks ? "" : absl::StrCat(", and blocks need opset ", kBlocksSince)));
    choice.primary = choice.packed = true;
    return choice;
  }

  // The node that another one may stand for.
  std::optional<PlainProduct> PlainNode(const BuildContext& context,
                                        const WeightTarget& target) const {
    if (!target.matrix || !target.others.empty()) return std::nullopt;
    std::optional<PlainProduct> node = AsPlainProduct(context, *target.op);
    // ONNX Runtime's own nodes take no vectors.
    const bool onnx = settings_.format == WeightSettings::Format::kLookup;
    return node && (onnx || node->rank > 1) ? node : std::nullopt;
  }

  Choice ChooseTabled(const BuildContext& context, Choice choice) const {
    const WeightTarget& target = *choice.target;
    choice.node = PlainNode(context, target);
    const int64_t inputs = LayoutOf(target).inputs(), group = settings_.primary.group;
    if (!choice.node) {
      choice.why_backup = "its node is no product with a matrix, and nothing else";
    } else if (group > 0 && inputs % group != 0) {
      choice.why_backup =
          absl::StrCat("its ", inputs, " inputs are no multiple of the group of ", group);
    } else {
      choice.primary = choice.packed = true;
    }
    return choice;
  }

  // The most sensitive ones get the backup.
  absl::Status ApplyRatio(const BuildContext& context, const std::vector<WeightTarget>& targets,
                          std::vector<Choice>& choices) const {
    if (settings_.ratio >= 1 || settings_.primary.bits == 8) return absl::OkStatus();
    std::map<const WeightTarget*, std::vector<double>> powers;
    if (settings_.by_output && context.samples != nullptr) {
      auto seen = InputPowers(context, *context.samples, targets);
      if (!seen.ok()) return seen.status();
      powers = *std::move(seen);
    }
    int64_t total = 0;
    std::vector<Choice*> candidates;
    for (Choice& choice : choices) {
      if (!choice.primary) continue;
      total += choice.target->point.value->constant()->size();
      choice.sensitivity = Sensitivity(context, choice, powers);
      candidates.push_back(&choice);
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Choice* a, const Choice* b) {
      return a->sensitivity < b->sensitivity;
    });
    int64_t taken = 0;
    bool full = false;
    for (Choice* choice : candidates) {
      taken += choice->target->point.value->constant()->size();
      full |= static_cast<double>(taken) > settings_.ratio * static_cast<double>(total);
      if (!full) continue;
      choice->primary = choice->packed = false;
      choice->why_backup = absl::StrFormat("is among the most sensitive (error %.2g of its energy)",
                                           choice->sensitivity);
    }
    return absl::OkStatus();
  }

  // The part of the energy of results, or of weights, that rounding takes.
  double Sensitivity(const BuildContext& context, const Choice& choice,
                     const std::map<const WeightTarget*, std::vector<double>>& powers) const {
    const WeightTarget& target = *choice.target;
    const Matrix weight = LayoutOf(target).Read(*target.point.value->constant());
    GroupedScheme scheme = SchemeFor(context, choice);
    scheme.turns = 0;
    const Matrix off = NumbersOf(RoundGrouped(weight, scheme), scheme) - weight;
    const auto power = powers.find(&target);
    double noise = 0, signal = 0;
    for (int64_t k = 0; k < weight.cols(); ++k) {
      const double counts = power == powers.end() ? 1 : power->second[static_cast<size_t>(k)];
      noise += counts * off.col(k).squaredNorm();
      signal += counts * weight.col(k).squaredNorm();
    }
    return signal > 0 ? noise / signal : 0;
  }

  GroupedScheme SchemeFor(const BuildContext& context, const Choice& choice) const {
    GroupedScheme scheme = choice.primary ? settings_.primary : settings_.backup;
    const int64_t inputs = LayoutOf(*choice.target).inputs();
    // Groups are of the inputs of a matrix.
    if (scheme.group == 0 || (!choice.packed && scheme.group >= inputs) ||
        choice.target->point.value->constant()->rank() != 2)
      scheme.group = std::max<int64_t>(1, inputs);
    scheme.zeros_stay = ZerosStay(context, *choice.target->point.value->constant());
    return scheme;
  }

  static int64_t BytesBefore(const WeightTarget& target) {
    return static_cast<int64_t>(target.point.value->constant()->bytes().size());
  }
  static int64_t BytesAfter(const Choice& choice, const GroupedScheme& scheme) {
    const MatrixLayout layout = LayoutOf(*choice.target);
    const int64_t groups = layout.rows() * ((layout.inputs() + scheme.group - 1) / scheme.group);
    const int64_t codes = choice.packed ? groups * scheme.group : layout.rows() * layout.inputs();
    const int64_t points = scheme.levels == nullptr ? (groups * scheme.bits + 7) / 8 : 0;
    return (codes * scheme.bits + 7) / 8 + groups * (scheme.binary_scales ? 1 : 4) + points;
  }

  static Matrix Wanted(const WeightTarget& target, const MatrixInputs& inputs,
                       const GroupedScheme& scheme) {
    if (!scheme.zeros_stay) return inputs.wanted;
    return RefittedKept(inputs.wanted, inputs.square, NotZero(WeightsOf(target)));
  }

  absl::Status Fit(const BuildContext& context, std::vector<FittedWeight>& weights) {
    if (context.samples != nullptr && settings_.data_aware) {
      std::vector<const WeightTarget*> targets;
      std::map<const WeightTarget*, FittedWeight*> by_target;
      for (FittedWeight& weight : weights) {
        targets.push_back(weight.target);
        by_target[weight.target] = &weight;
      }
      const absl::Status status = WalkMatrices(
          context, settings_.samples, targets,
          [&](const WeightTarget& target, const MatrixInputs* inputs) {
            FittedWeight& weight = *by_target[&target];
            weight.codes = inputs == nullptr ? RoundGrouped(WeightsOf(target), weight.scheme)
                                             : RoundGrouped(Wanted(target, *inputs, weight.scheme),
                                                            inputs->square, weight.scheme);
            Matrix numbers = NumbersOf(weight.codes, weight.scheme);
            if (inputs != nullptr) weight.snr = SignalToNoise(*inputs, numbers);
            return numbers;
          });
      if (!absl::IsUnimplemented(status)) return status;
      note_ = absl::StrCat("; without regard to data: ", status.message());
    }
    for (FittedWeight& weight : weights)
      weight.codes = RoundGrouped(WeightsOf(*weight.target), weight.scheme);
    return absl::OkStatus();
  }

  void Ask(const Choice& choice, const FittedWeight& weight, std::vector<Command>& commands) {
    const WeightTarget& target = *choice.target;
    LayerReport layer;
    layer.scope = target.point.scope;
    layer.bytes_before = BytesBefore(target);
    layer.bytes_after = BytesAfter(choice, weight.scheme);
    layer.snr = weight.snr;
    const auto add = [&](const Point& point, Change change) {
      commands.push_back(
          {point, Priority::kQuantization, std::move(change), kName, choice.why_backup});
    };
    if (choice.packed) {
      layer.what = absl::StrCat("weights to ", weight.scheme.bits, " bits, ", weight.codes.rows,
                                " x ", weight.codes.groups, " scales");
      using Format = WeightSettings::Format;
      const auto node = settings_.format == Format::kTabled   ? TabledNode
                        : settings_.format == Format::kLookup ? LookedUp
                                                              : Packed;
      add(target.point, node(*choice.node, target.point.tensor, weight.codes, weight.scheme));
    } else {
      const StoredCodes stored =
          Stored(weight.codes, weight.scheme, target.point.value->constant()->shape(), target.axis);
      layer.what = absl::StrCat("weights to ", Describe(stored.grid));
      add(target.point, Quantize{stored.grid, stored.codes});
      for (const Point& other : target.others) add(other, Quantize{stored.grid, stored.codes});
    }
    if (!choice.why_backup.empty()) absl::StrAppend(&layer.what, ": ", choice.why_backup);
    before_ += layer.bytes_before;
    after_ += layer.bytes_after;
    narrow_ += choice.primary && settings_.primary.bits < 8 ? 1 : 0;
    layers_.push_back(std::move(layer));
  }

  void Summarize(size_t count) {
    summary_ = absl::StrCat(kName, ": ", count, " weights (", before_, " bytes, now ", after_, ")");
    if (settings_.primary.bits < 8)
      absl::StrAppend(&summary_, ", ", narrow_, " of them in ", settings_.primary.bits, " bits");
    absl::StrAppend(&summary_, note_, "; ", left_, " operations left as they are", out_of_reach_);
    if (too_wide_ > 0)
      absl::StrAppend(&summary_, ", ", too_wide_,
                      " of them because `group_size: ", settings_.primary.group,
                      "` is more than their inputs");
  }

  WeightSettings settings_;
  std::vector<LayerReport> layers_;
  std::string summary_, note_, out_of_reach_;
  int64_t before_ = 0, after_ = 0;
  int narrow_ = 0, left_ = 0, too_wide_ = 0;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  absl::StatusOr<WeightSettings> settings = ReadWeightSettings(section);
  if (!settings.ok()) return settings.status();
  return std::make_unique<WeightCompressionBuilder>(*std::move(settings));
}

}  // namespace

const Algorithm& WeightCompression() {
  static const Algorithm kWeightCompression = {
      kName, Priority::kQuantization, "weights alone in 8, 4 or 2 bits, computed with as floats",
      WeightKeys(), Configure};
  return kWeightCompression;
}

}  // namespace tessera::compression

#include "passes/compression/sparsity/magnitude_sparsity.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "passes/compression/sparsity/masks.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/targets.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using Kind = Key::Kind;

constexpr char kName[] = "magnitude_sparsity";

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "what is made sparse; all by default"},
    {"ignored_scopes", Kind::kNames, "", "what is not"},
    {"sparsity_target", Kind::kNumber, "0.5", "part of the weights that become zero", "", 0, 1},
    {"sparsity_level_setting_mode", Kind::kText, "local",
     "whether that part is of each weight, or of all together", "local|global"},
    {"weight_importance", Kind::kText, "normed_abs",
     "with `global`: magnitudes as they are, or each as a part of its weight's norm",
     "abs|normed_abs"},
    {"pattern", Kind::kText, "",
     "`N:M`, as `2:4`: of every M neighbouring inputs of a channel N stay; in place of "
     "`sparsity_target`"},
    {"refit", Kind::kFlag, "true",
     "with samples: the weights that stay make up for those that go, layer by layer (products with "
     "a matrix)"},
    {"subset_size", Kind::kCount, "64", "samples that are used", "", 1, 1e6},
    kSchedule,
};

struct Settings {
  std::vector<std::string> targets, ignored;
  double level = 0.5;
  bool global = false, normed = true, refit = true;
  int64_t keep = 0, of = 0;  // of a pattern; 0: none
  size_t samples = 64;
};

// Which inputs of a channel stand beside each other.
Neighbours NeighboursOf(const WeightTarget& target) {
  const std::vector<int64_t>& shape = target.point.value->constant()->shape();
  const size_t rank = shape.size();
  Neighbours neighbours;
  if (TraitOf(target.op->info()).axis < 0 && rank > 2) {
    // Channels that are counted from the last axis are those of a matrix: these are a stack of
    // them.
    neighbours.count = shape[rank - 2];
    return neighbours;
  }
  for (size_t d = 2; d < rank; ++d) neighbours.stride *= shape[d];
  return neighbours;
}

class MagnitudeSparsityBuilder : public Builder {
 public:
  explicit MagnitudeSparsityBuilder(Settings settings) : settings_(std::move(settings)) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, settings_.targets, settings_.ignored);
    if (!filter.ok()) return filter.status();
    absl::StatusOr<WeightTargets> found = FindWeights(context, *filter);
    if (!found.ok()) return found.status();
    for (const LeftAsIs& left : found->left) {
      LayerReport layer;
      layer.scope = left.scope;
      layer.reason = left.reason;
      layers_.push_back(std::move(layer));
    }
    std::vector<const WeightTarget*> targets;
    for (const WeightTarget& target : found->targets) {
      if (!target.table) targets.push_back(&target);
    }
    std::vector<Matrix> weights;
    for (const WeightTarget* target : targets) weights.push_back(WeightsOf(*target));
    const std::vector<Mask> masks = MasksOf(targets, weights);
    std::vector<double> snr(targets.size());
    for (size_t i = 0; i < targets.size(); ++i) weights[i] = Masked(weights[i], masks[i]);
    if (absl::Status status = Refit(context, targets, masks, weights, snr); !status.ok())
      return status;
    std::vector<Command> commands;
    int64_t zeros = 0, all = 0, copied = 0;
    for (size_t i = 0; i < targets.size(); ++i) {
      const WeightTarget& target = *targets[i];
      const ir::Tensor& before = *target.point.value->constant();
      ir::Tensor after = *ir::Tensor::Allocate(ir::DType::kF32, before.shape());
      const MatrixLayout layout(before.shape(), target.axis);
      auto* to = after.mutable_data<float>();
      int64_t none = 0;
      for (int64_t r = 0; r < layout.rows(); ++r) {
        for (int64_t k = 0; k < layout.inputs(); ++k) {
          to[layout.IndexOf(r, k)] = static_cast<float>(weights[i](r, k));
          none += weights[i](r, k) == 0 ? 1 : 0;
        }
      }
      zeros += none;
      all += after.size();
      LayerReport layer;
      layer.scope = target.point.scope;
      layer.what = absl::StrFormat("%.1f %% of the weights are zero",
                                   100.0 * static_cast<double>(none) /
                                       static_cast<double>(std::max<int64_t>(1, after.size())));
      layer.bytes_before = layer.bytes_after = static_cast<int64_t>(before.bytes().size());
      if (target.point.value->UsesUnsorted().size() > 1 + target.others.size()) {
        ++copied;
        layer.bytes_after *= 2;
        absl::StrAppend(&layer.what, "; a copy, what else reads them keeps them");
      }
      layer.snr = snr[i];
      layers_.push_back(std::move(layer));
      commands.push_back({target.point, Priority::kSparsification, SetConstant{after}, kName, ""});
      for (const Point& other : target.others)
        commands.push_back({other, Priority::kSparsification, SetConstant{after}, kName, ""});
    }
    if (copied > 0)
      absl::StrAppend(&note_, "; ", copied, " of them are copies, since something else reads them");
    summary_ = absl::StrFormat(
        "%s: %d weights, %.1f %% of their elements are zero%s", kName, targets.size(),
        all == 0 ? 0 : 100.0 * static_cast<double>(zeros) / static_cast<double>(all), note_);
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  static Matrix Masked(Matrix weights, const Mask& mask) {
    for (int64_t i = 0; i < weights.size(); ++i) {
      if (!mask[static_cast<size_t>(i)]) weights.data()[i] = 0;
    }
    return weights;
  }

  std::vector<Mask> MasksOf(const std::vector<const WeightTarget*>& targets,
                            const std::vector<Matrix>& weights) const {
    if (settings_.of > 0) {
      std::vector<Mask> masks;
      for (size_t i = 0; i < targets.size(); ++i)
        masks.push_back(
            PatternMask(weights[i], settings_.keep, settings_.of, NeighboursOf(*targets[i])));
      return masks;
    }
    return settings_.global ? GlobalMasks(weights, settings_.level, settings_.normed)
                            : LocalMasks(weights, settings_.level);
  }

  absl::Status Refit(const BuildContext& context, const std::vector<const WeightTarget*>& targets,
                     const std::vector<Mask>& masks, std::vector<Matrix>& weights,
                     std::vector<double>& snr) {
    if (context.samples == nullptr || !settings_.refit) return absl::OkStatus();
    std::map<const WeightTarget*, size_t> index;
    for (size_t i = 0; i < targets.size(); ++i) index[targets[i]] = i;
    const absl::Status status =
        WalkMatrices(context, settings_.samples, targets,
                     [&](const WeightTarget& target, const MatrixInputs* inputs) {
                       const size_t i = index[&target];
                       if (inputs != nullptr) {
                         Matrix fitted = RefittedKept(inputs->wanted, inputs->square, masks[i]);
                         // They are stored as floats.
                         if (fitted.cast<float>().allFinite()) weights[i] = std::move(fitted);
                         snr[i] = SignalToNoise(*inputs, weights[i]);
                       }
                       return weights[i];
                     });
    if (!absl::IsUnimplemented(status)) return status;
    note_ = absl::StrCat("; not refitted: ", status.message());
    return absl::OkStatus();
  }

  Settings settings_;
  std::vector<LayerReport> layers_;
  std::string summary_, note_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  Settings settings;
  settings.targets = section.Names("target_scopes");
  settings.ignored = section.Names("ignored_scopes");
  settings.level = section.Number("sparsity_target");
  settings.global = section.Text("sparsity_level_setting_mode") == "global";
  settings.normed = section.Text("weight_importance") == "normed_abs";
  settings.refit = section.Flag("refit");
  settings.samples = static_cast<size_t>(section.Number("subset_size"));
  if (section.Has("weight_importance") && !settings.global)
    return section.Error("weight_importance",
                         "is about `sparsity_level_setting_mode: global`; in each weight the order "
                         "of magnitudes is the same");
  if (!settings.refit && section.Has("subset_size"))
    return section.Error("subset_size", "means nothing with `refit: false`");
  if (section.Has("pattern")) {
    if (settings.global)
      return section.Error("sparsity_level_setting_mode",
                           "is `local` with `pattern`, which holds in every weight");
    if (section.Text(kScheduleKey) == kBoundSchedule)
      return section.Error(kScheduleKey, "lowers `sparsity_target`, which `pattern` replaces");
    if (section.Has("sparsity_target"))
      return section.Error("pattern", "says how many weights go, and so does `sparsity_target`");
    const std::vector<std::string> parts = absl::StrSplit(section.Text("pattern"), ':');
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &settings.keep) ||
        !absl::SimpleAtoi(parts[1], &settings.of) || settings.keep < 1 ||
        settings.of <= settings.keep || settings.of > 1024)
      return section.Error("pattern", "is `N:M`, N from 1 on and less than M, M at most 1024");
  }
  return std::make_unique<MagnitudeSparsityBuilder>(std::move(settings));
}

}  // namespace

const Algorithm& MagnitudeSparsity() {
  static const Algorithm kMagnitudeSparsity = {
      kName,     Priority::kSparsification, "the smallest weights become zero", kKeys,
      Configure, "sparsity_target"};
  return kMagnitudeSparsity;
}

}  // namespace tessera::compression

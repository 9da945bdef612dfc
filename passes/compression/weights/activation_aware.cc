#include "passes/compression/weights/activation_aware.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/compression/calibration/spread_samples.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/scale_fold.h"
#include "passes/compression/weights/targets.h"
#include "passes/compression/weights/weight_matrix.h"
#include "targets/reference/bind_symbols.h"

namespace tessera::compression {
namespace {

using Kind = Key::Kind;

constexpr char kName[] = "awq";
constexpr double kNothing = 1e-30;
// No weight is made larger than another by more.
constexpr double kLargestFactor = 1000;

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "products whose weights are scaled; all by default"},
    {"ignored_scopes", Kind::kNames, "", "products that are left alone"},
    {"mode", Kind::kText, "int4_asym", "what weights will be stored as",
     "int8_asym|int8_sym|int4_asym|int4_sym|int2_asym|int2_sym"},
    {"group_size", Kind::kNumber, "64", "neighbouring inputs that will share a scale; -1: all", "",
     -1, 1 << 20},
    {"steps", Kind::kCount, "20", "powers of inputs' sizes that are tried, from 0 to 1", "", 1,
     1000},
    {"least_gain", Kind::kNumber, "0",
     "dB by which the error of results is expected to fall; nothing is scaled for no more", "", 0,
     200},
    {"subset_size", Kind::kCount, "64", "samples that are used", "", 1, 1e6},
};

struct Settings {
  std::vector<std::string> targets, ignored;
  GroupedScheme scheme;
  int steps = 20;
  double least_gain = 0;
  size_t samples = 64;
};

const ir::Value* DataOf(const WeightTarget& target) {
  return target.op->operand(static_cast<size_t>(TraitOf(target.op->info()).data));
}

// Products with matrices that read one value, and nothing else does.
struct Readers {
  std::vector<const WeightTarget*> targets;
  std::vector<double> power;  // the mean square of each input
};

class ActivationAwareBuilder : public Builder {
 public:
  explicit ActivationAwareBuilder(Settings settings) : settings_(std::move(settings)) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    if (context.samples == nullptr)
      return SamplesAreMissing(context,
                               "weights are scaled by what their products are seen to read");
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, settings_.targets, settings_.ignored);
    if (!filter.ok()) return filter.status();
    const absl::StatusOr<WeightTargets> found = FindWeights(context, *filter);
    if (!found.ok()) return found.status();
    const absl::StatusOr<std::vector<ir::Tensor>> inputs = context.samples->Load(0);
    if (!inputs.ok()) return inputs.status();
    const absl::StatusOr<solver::Assignment> assignment =
        reference::BindSymbols(context.graph, *inputs);
    if (!assignment.ok()) return assignment.status();
    const calibration::SpreadSamples samples(*context.samples, settings_.samples);
    const auto powers = InputPowers(context, samples, found->targets);
    if (!powers.ok()) return powers.status();
    std::vector<Command> commands;
    int64_t scaled = 0, values = 0;
    for (const Readers& readers : Grouped(found->targets, *powers)) {
      ++values;
      scaled += Scale(context, readers, *assignment, commands) ? 1 : 0;
    }
    summary_ = absl::StrCat(kName, ": the channels of ", scaled, " of ", values,
                            " values that matrices multiply");
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  // In order of computation.
  static std::vector<Readers> Grouped(
      const std::vector<WeightTarget>& targets,
      const std::map<const WeightTarget*, std::vector<double>>& powers) {
    std::vector<Readers> groups;
    std::map<const ir::Value*, size_t> by_value;
    for (const WeightTarget& target : targets) {
      const auto power = powers.find(&target);
      if (!target.matrix || target.table || power == powers.end() || power->second.empty())
        continue;
      const auto [place, fresh] = by_value.emplace(DataOf(target), groups.size());
      if (fresh) groups.push_back({{}, power->second});
      groups[place->second].targets.push_back(&target);
    }
    std::vector<Readers> alone;
    for (Readers& group : groups) {
      const ir::Value& data = *DataOf(*group.targets[0]);
      const bool all =
          std::all_of(group.targets.begin(), group.targets.end(), [&](const WeightTarget* target) {
            return target->others.empty() && target->point.value->UsesUnsorted().size() == 1 &&
                   WeightsOf(*target).cols() == static_cast<int64_t>(group.power.size());
          });
      if (all && !data.is_graph_output() && data.UsesUnsorted().size() == group.targets.size())
        alone.push_back(std::move(group));
    }
    return alone;
  }

  // How much of each product's results rounding is expected to take, in sum.
  double Noise(const Readers& readers, const std::vector<Matrix>& weights,
               const std::vector<double>& scales) const {
    const auto inputs = static_cast<int64_t>(scales.size());
    double noise = 0;
    for (const Matrix& weight : weights) {
      Matrix scaled = weight;
      for (int64_t k = 0; k < inputs; ++k) scaled.col(k) *= scales[static_cast<size_t>(k)];
      GroupedScheme scheme = settings_.scheme;
      if (scheme.group == 0 || scheme.group > inputs) scheme.group = std::max<int64_t>(1, inputs);
      const Matrix off = NumbersOf(RoundGrouped(scaled, scheme), scheme) - scaled;
      double of_product = 0, signal = 0;
      for (int64_t k = 0; k < inputs; ++k) {
        const auto at = static_cast<size_t>(k);
        of_product += readers.power[at] * off.col(k).squaredNorm() / (scales[at] * scales[at]);
        signal += readers.power[at] * weight.col(k).squaredNorm();
      }
      if (signal > kNothing) noise += of_product / signal;
    }
    return noise;
  }

  std::vector<double> ScalesAt(const Readers& readers, double exponent) const {
    std::vector<double> scales;
    double least = 0, most = 0;
    for (const double power : readers.power) {
      const double scale = power > kNothing ? std::pow(std::sqrt(power), exponent) : 0;
      scales.push_back(scale);
      if (scale <= 0) continue;
      least = least > 0 ? std::min(least, scale) : scale;
      most = std::max(most, scale);
    }
    const double middle = std::sqrt(least * most);
    for (double& scale : scales) {
      // Inputs that are always 0 meet weights that do not matter.
      if (scale <= 0) scale = least;
      scale = middle > 0 ? scale / middle : 1;
      scale = std::clamp(scale, 1 / std::sqrt(kLargestFactor), std::sqrt(kLargestFactor));
    }
    return scales;
  }

  bool Scale(const BuildContext& context, const Readers& readers,
             const solver::Assignment& assignment, std::vector<Command>& commands) {
    std::vector<Matrix> weights;
    for (const WeightTarget* target : readers.targets) weights.push_back(WeightsOf(*target));
    const std::vector<double> none(readers.power.size(), 1);
    const double before = Noise(readers, weights, none);
    double least = before;
    std::vector<double> best;
    for (int i = 1; i <= settings_.steps; ++i) {
      std::vector<double> scales = ScalesAt(readers, double(i) / settings_.steps);
      const double noise = Noise(readers, weights, scales);
      if (noise >= least) continue;
      least = noise;
      best = std::move(scales);
    }
    const double gain = best.empty() ? 0 : 10 * std::log10(before / std::max(least, kNothing));
    if (best.empty() || gain <= settings_.least_gain) return false;
    std::vector<double> undone;
    for (const double scale : best) undone.push_back(1 / scale);
    const WeightTarget& first = *readers.targets[0];
    LayerReport layer;
    layer.scope = first.point.scope;
    const auto folded = FoldedFactors(context, *DataOf(first), undone, assignment);
    if (folded.empty()) {
      layer.reason = "what makes its inputs takes no factors";
      layers_.push_back(std::move(layer));
      return false;
    }
    const std::string why = absl::StrFormat("%.1f dB", gain);
    const auto add = [&](const Point& point, ir::Tensor tensor) {
      commands.push_back({point, Priority::kScales, SetConstant{std::move(tensor)}, kName, why});
    };
    for (const auto& [point, tensor] : folded) add(point, tensor);
    for (const WeightTarget* target : readers.targets) {
      const ir::Tensor& constant = *target->point.value->constant();
      const MatrixLayout layout(constant.shape(), target->axis);
      ir::Tensor scaled = *ir::Tensor::Allocate(ir::DType::kF32, constant.shape());
      for (int64_t r = 0; r < layout.rows(); ++r) {
        for (int64_t k = 0; k < layout.inputs(); ++k) {
          const int64_t at = layout.IndexOf(r, k);
          scaled.mutable_data<float>()[at] =
              static_cast<float>(constant.AsDouble(at) * best[static_cast<size_t>(k)]);
        }
      }
      add(target->point, std::move(scaled));
    }
    layer.what = absl::StrCat("inputs scaled for ", readers.targets.size(), " weights, ", why);
    layers_.push_back(std::move(layer));
    return true;
  }

  Settings settings_;
  std::vector<LayerReport> layers_;
  std::string summary_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  Settings settings;
  settings.targets = section.Names("target_scopes");
  settings.ignored = section.Names("ignored_scopes");
  const std::string mode = section.Text("mode");
  settings.scheme.bits = mode[3] - '0';
  settings.scheme.symmetric = absl::EndsWith(mode, "_sym");
  const double group = section.Number("group_size");
  if (group != std::floor(group) || group == 0)
    return section.Error("group_size", "is a whole number from 1 on, or -1");
  settings.scheme.group = group < 0 ? 0 : static_cast<int64_t>(group);
  if (settings.scheme.bits == 8 && section.Has("group_size"))
    return section.Error("group_size",
                         "is about modes of fewer than 8 bits, and `mode` is one of 8");
  if (settings.scheme.bits == 8) settings.scheme.group = 0;
  settings.scheme.turns = 0;
  settings.steps = static_cast<int>(section.Number("steps"));
  settings.least_gain = section.Number("least_gain");
  settings.samples = static_cast<size_t>(section.Number("subset_size"));
  return std::make_unique<ActivationAwareBuilder>(std::move(settings));
}

}  // namespace

const Algorithm& ActivationAware() {
  static constexpr Algorithm kActivationAware = {
      kName, Priority::kScales,
      "weights that meet large inputs are made larger before they are stored in few bits", kKeys,
      Configure};
  return kActivationAware;
}

}  // namespace tessera::compression

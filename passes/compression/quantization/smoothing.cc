#include "passes/compression/quantization/smoothing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/compression/quantization/channel_ranges.h"
#include "passes/compression/quantization/channels_met.h"
#include "passes/compression/quantization/expected_noise.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/smoother.h"
#include "passes/compression/quantization/smoothing_nodes.h"
#include "passes/compression/traits/traits.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

constexpr char kWhat[] = "channels are smoothed by what they are seen to be";

using Kind = Key::Kind;

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "products whose operands are smoothed; all by default"},
    {"ignored_scopes", Kind::kNames, "", "products that are left alone"},
    {"shift", Kind::kFlag, "true", "channels are moved to lie around 0 too"},
    {"scale", Kind::kText, "range",
     "`range`: by a power of how far a channel reaches; `smooth_quant`: also by its weights; "
     "`none`",
     "range|smooth_quant|none"},
    {"strength", Kind::kNumber, "0.5", "that power", "", 0, 1},
    {"least_gain", Kind::kNumber, "0",
     "dB by which the error of results is expected to fall; nodes are added for no less", "", -200,
     200},
    {"least_shift_gain", Kind::kNumber, "4",
     "the same where channels are moved: what a grid had to spare beyond what was seen is lost", "",
     -200, 200},
};

// Elements of a channel: what is made for fewer does not hold for others.
constexpr double kFewestSeen = 32;

// A value, all products of the plan that read it, and which of its axes has their channels.
struct Site {
  const ActivationSite* value = nullptr;
  int64_t axis = 0;
  std::vector<Reader> readers;
  bool may_shift = true;
};

class SmoothingBuilder : public Builder {
 public:
  SmoothingBuilder(std::vector<std::string> targets, std::vector<std::string> ignored,
                   SmoothingSettings settings)
      : targets_(std::move(targets)), ignored_(std::move(ignored)), settings_(settings) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, targets_, ignored_);
    if (!filter.ok()) return filter.status();
    plan_ = MakePlan(context, *filter, PlanOptions());
    for (const WeightSite& site : plan_.weights) weights_[site.op] = &site;
    for (const BiasSite& site : plan_.biases) biases_[site.product] = &site;
    absl::StatusOr<std::vector<Site>> sites = FindSites(context);
    if (!sites.ok()) return sites.status();
    std::vector<Command> commands;
    if (!sites->empty()) {
      ChannelRanges ranges;
      if (absl::Status status = Measure(context, *sites, ranges); !status.ok()) return status;
      for (const Site& site : *sites) {
        const ChannelRanges::Ends* ends = ranges.Of(site.value->value);
        if (ends == nullptr || ends->count < kFewestSeen) continue;
        Ask(site, ChooseSmoother(site.readers, *ends, site.may_shift, settings_), commands);
      }
    }
    summary_ = absl::StrCat("smoothing: ", layers_.size(), " of ", plan_.activations.size(),
                            " activations");
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  // Of the samples, or what is kept of them.
  static absl::Status Measure(const BuildContext& context, const std::vector<Site>& sites,
                              ChannelRanges& ranges) {
    std::vector<ChannelRanges::Wanted> wanted;
    for (const Site& site : sites)
      wanted.push_back(
          {site.value->value, site.axis,
           absl::StrCat("channels of ", site.value->points[0].tensor, " along ", site.axis)});
    return ranges.Measure(context, wanted, kWhat);
  }

  absl::StatusOr<std::vector<Site>> FindSites(const BuildContext& context) const {
    const absl::StatusOr<solver::Assignment> assignment = SizesOfFirst(context, kWhat);
    if (!assignment.ok()) return assignment.status();
    std::vector<Site> sites;
    for (const ActivationSite& value : plan_.activations) {
      if (std::optional<Site> site = FindSite(context, value, *assignment))
        sites.push_back(*std::move(site));
    }
    return sites;
  }

  // A node reads what stands before it wherever it reads the tensor: as its bias too.
  static std::ptrdiff_t TimesRead(const BuildContext& context, const Point& point) {
    const std::vector<std::string>& inputs = context.addresses.Of(*point.op).node->inputs;
    return std::count(inputs.begin(), inputs.end(), point.tensor);
  }

  std::optional<Site> FindSite(const BuildContext& context, const ActivationSite& value,
                               const solver::Assignment& assignment) const {
    Site site;
    site.value = &value;
    for (const Point& point : value.points) {
      const auto weight = weights_.find(point.op);
      // Weights of its own alone may change.
      if (weight == weights_.end() || weight->second->axis < 0 ||
          point.index != TraitOf(point.op->info()).data ||
          weight->second->point.value->UsesUnsorted().size() != 1 || TimesRead(context, point) > 1)
        return std::nullopt;
      site.readers.push_back({weight->second, {}});
    }
    const auto& type = value.value->type();
    const absl::StatusOr<std::vector<int64_t>> shape = reference::DimsOf(type, assignment);
    if (!shape.ok()) return std::nullopt;
    const int64_t rank = type.rank();
    for (site.axis = rank == 1 ? 0 : 1; site.axis < rank; ++site.axis) {
      const auto axis = static_cast<size_t>(site.axis);
      if ((*shape)[axis] < 2 || !type.dims[axis].Constant()) continue;
      const bool all = std::all_of(site.readers.begin(), site.readers.end(), [&](Reader& reader) {
        std::optional<ChannelsMet> met =
            FindChannelsMet(*reader.site, *shape, site.axis, assignment);
        if (met) reader.met = *std::move(met);
        return met.has_value();
      });
      if (all) break;
    }
    if (site.axis >= rank) return std::nullopt;
    for (const Reader& reader : site.readers) {
      const auto bias = biases_.find(reader.site->op);
      site.may_shift = site.may_shift && !reader.met.padded && bias != biases_.end() &&
                       HasOwnBias(*bias->second);
    }
    return site;
  }

  // One entry for all channels or for each, that nobody else reads; or none yet.
  bool HasOwnBias(const BiasSite& site) const {
    if (site.present == nullptr) return true;
    return site.point.value->UsesUnsorted().size() == 1;
  }

  static ir::Tensor Constant(const Site& site, const std::vector<double>& values) {
    std::vector<int64_t> shape(static_cast<size_t>(site.value->value->type().rank() - site.axis),
                               1);
    shape[0] = static_cast<int64_t>(values.size());
    const std::vector<float> narrow(values.begin(), values.end());
    return ir::Tensor::Of<float>(ir::DType::kF32, shape, narrow);
  }

  void Ask(const Site& site, const Smoother& smoother, std::vector<Command>& commands) {
    const std::string why = absl::StrCat("smoothed, ", std::llround(smoother.gain), " dB");
    const auto add = [&](const Point& point, Change change) {
      commands.push_back({point, Priority::kSmoothing, std::move(change), "smoothing", why});
    };
    const auto any = [](const std::vector<double>& values, double neutral) {
      return std::any_of(values.begin(), values.end(), [&](double v) { return v != neutral; });
    };
    const bool shifts = any(smoother.shift, 0), scales = any(smoother.scale, 1);
    const std::vector<std::string> nodes =
        absl::StrSplit(std::string(SmoothingNodes()), absl::ByAnyChar(" \n"), absl::SkipEmpty());
    ApplyBefore before;
    std::vector<double> factors, scale;
    for (const double s : smoother.scale) {
      factors.push_back(double{static_cast<float>(1 / s)});
      scale.push_back(1 / factors.back());  // what undoes the factor that is stored
    }
    if (shifts) before.steps.push_back({nodes[0], Constant(site, smoother.shift)});
    if (scales) before.steps.push_back({nodes[1], Constant(site, factors)});
    if (before.steps.empty()) return;
    for (const Point& point : site.value->points) add(point, before);
    for (const auto& [product, met] : site.readers) {
      const WeightSite& reader = *product;
      const ir::Tensor& weight = *reader.point.value->constant();
      std::vector<float> scaled(static_cast<size_t>(weight.size()));
      std::map<int, double> moved;
      for (size_t i = 0; i < scaled.size(); ++i) {
        const double w = double{weight.data<float>()[i]};
        const int channel = met.channels[i];
        scaled[i] = static_cast<float>(channel < 0 ? w : w * scale[static_cast<size_t>(channel)]);
        if (channel >= 0) moved[met.results[i]] += w * smoother.shift[static_cast<size_t>(channel)];
      }
      if (scales) {
        add(reader.point,
            SetConstant{ir::Tensor::Of<float>(ir::DType::kF32, weight.shape(), scaled)});
      }
      if (shifts) MoveBias(*biases_.at(reader.op), moved, add);
    }
    LayerReport layer;
    layer.scope = site.value->points[0].scope;
    layer.what =
        absl::StrCat("reads `", site.value->points[0].tensor, "` ",
                     shifts ? scales ? "shifted and scaled" : "shifted" : "scaled", " by channel");
    layers_.push_back(std::move(layer));
  }

  template <class Add>
  static void MoveBias(const BiasSite& site, const std::map<int, double>& moved, const Add& add) {
    std::vector<float> bias;
    for (const auto& [channel, by] : moved) {
      const int64_t at = site.present != nullptr && site.present->size() > 1 ? channel : 0;
      const double present = site.present == nullptr ? 0 : site.present->AsDouble(at);
      bias.push_back(static_cast<float>(present + by));
    }
    std::vector<int64_t> shape = {static_cast<int64_t>(bias.size())};
    if (site.present != nullptr && site.present->size() == shape[0]) shape = site.present->shape();
    ir::Tensor tensor = ir::Tensor::Of<float>(ir::DType::kF32, shape, bias);
    if (site.present == nullptr) {
      add(site.point, AddOperand{std::move(tensor)});
    } else {
      add(site.point, SetConstant{std::move(tensor)});
    }
  }

  std::vector<std::string> targets_, ignored_;
  SmoothingSettings settings_;
  Plan plan_;
  std::map<const ir::Operation*, const WeightSite*> weights_;
  std::map<const ir::Operation*, const BiasSite*> biases_;
  std::vector<LayerReport> layers_;
  std::string summary_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  SmoothingSettings settings;
  settings.shift = section.Flag("shift");
  settings.scale = section.Text("scale");
  settings.strength = section.Number("strength");
  settings.least_gain = section.Number("least_gain");
  settings.least_shift_gain = section.Number("least_shift_gain");
  if (!settings.shift && settings.scale == "none")
    return section.Error("shift", "and `scale` leave nothing to do");
  return std::make_unique<SmoothingBuilder>(section.Names("target_scopes"),
                                            section.Names("ignored_scopes"), std::move(settings));
}

}  // namespace

const Algorithm& Smoothing() {
  static constexpr Algorithm kSmoothing = {
      "smoothing", Priority::kSmoothing,
      "what products read is shifted and scaled by channel before it is quantized", kKeys,
      Configure};
  return kSmoothing;
}

}  // namespace tessera::compression

#include "passes/compression/quantization/quantization.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/compression/calibration/calibrate.h"
#include "passes/compression/calibration/spread_samples.h"
#include "passes/compression/quantization/dynamic_product.h"
#include "passes/compression/quantization/fit.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/range.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/quantization/settings.h"
#include "passes/compression/quantization/weight_scales.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

// One for each range, of all values that share it.
class Histograms : public calibration::Observer {
 public:
  explicit Histograms(const Plan& plan) : all_(static_cast<size_t>(plan.ranges)) {
    for (const ActivationSite& site : plan.activations)
      by_value_[&*site.value] = static_cast<size_t>(site.range);
  }
  void See(const ir::Value& value, const ir::Tensor& tensor) override {
    const auto found = by_value_.find(&value);
    if (found != by_value_.end()) all_[found->second].Add(tensor);
  }
  const std::vector<calibration::Histogram>& all() const { return all_; }
  std::vector<calibration::Histogram>& all() { return all_; }

 private:
  std::map<const ir::Value*, size_t> by_value_;
  std::vector<calibration::Histogram> all_;
};

class QuantizationBuilder : public Builder {
 public:
  explicit QuantizationBuilder(QuantizationSettings settings) : settings_(std::move(settings)) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, settings_.targets, settings_.ignored);
    if (!filter.ok()) return filter.status();
    if (settings_.plan.dynamic && context.addresses.source().opset < kDynamicSince)
      return absl::UnimplementedError(absl::StrCat("`activations.mode: dynamic` needs opset ",
                                                   kDynamicSince, " or newer, the model has ",
                                                   context.addresses.source().opset));
    Plan plan = MakePlan(context, *filter, settings_.plan);
    if (absl::Status status = Decide(context, plan); !status.ok()) return status;
    if (context.samples != nullptr && !plan.products.empty()) {
      FitOptions options;
      options.correct_biases = settings_.correct_biases;
      options.round_by_output = settings_.round_by_output;
      options.scheme = settings_.weights;
      options.scheme.axis = settings_.per_channel ? 0 : -1;
      absl::StatusOr<Fit> fit = FitNetwork(context, plan, decisions_, options);
      if (fit.ok()) {
        fit_ = *std::move(fit);
      } else if (!absl::IsUnimplemented(fit.status())) {
        return fit.status();
      } else {
        note_ = absl::StrCat("; biases are not corrected: ", fit.status().message());
      }
    }
    Describe(plan);
    return Commands(context, plan);
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  absl::Status Decide(const BuildContext& context, const Plan& plan) {
    if (plan.activations.empty()) {
    } else if (settings_.plan.dynamic) {
      Grid grid;
      grid.storage = settings_.storage;
      grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, {}, std::vector<float>{1});
      grid.dynamic = true;
      decisions_.activations.assign(static_cast<size_t>(plan.ranges), grid);
    } else {
      Histograms histograms(plan);
      if (absl::Status status = Measure(context, plan, histograms); !status.ok()) return status;
      for (const ActivationSite& site : plan.activations) {
        const int64_t bad = histograms.all()[static_cast<size_t>(site.range)].not_finite();
        if (bad > 0) return NotFinite(site.points[0], bad);
      }
      for (const calibration::Histogram& seen : histograms.all())
        decisions_.activations.push_back(
            ChooseGrid(seen, settings_.range, settings_.storage, settings_.symmetric));
    }
    const std::map<const ir::Value*, int64_t> axes = ScaleAxes(plan);
    for (const WeightSite& site : plan.weights) {
      if (decisions_.weights.contains(site.point.value)) continue;
      const ir::Tensor& weight = *site.point.value->constant();
      for (int64_t i = 0; i < weight.size(); ++i) {
        if (!std::isfinite(weight.data<float>()[i]))
          return absl::InvalidArgumentError(
              absl::StrCat("weight `", site.point.tensor, "` of `", site.point.scope,
                           "` has elements that are infinite or not a number"));
      }
      WeightScheme scheme = settings_.weights;
      scheme.axis = settings_.per_channel ? axes.at(site.point.value) : -1;
      if (site.like_activations) scheme.storage = settings_.storage;
      Grid grid = ChooseWeightGrid(weight, scheme);
      ir::Tensor codes = CodesOf(weight, grid);
      decisions_.weights.emplace(
          site.point.value,
          QuantizedWeight{std::move(grid), std::move(codes), ZerosStay(context, weight)});
    }
    return absl::OkStatus();
  }

  // Along which axis each weight has its scales; -1: one for all. Where products are computed on
  // integers, the scales must be those of each product's channels: a weight that products read
  // along different axes has none such, and runtimes take none of a stack of matrices.
  std::map<const ir::Value*, int64_t> ScaleAxes(const Plan& plan) const {
    std::map<const ir::Value*, int64_t> axes;
    for (const WeightSite& site : plan.weights) {
      // Channels that are counted from the last axis are those of a matrix.
      const bool stack =
          TraitOf(site.op->info()).axis < 0 && site.point.value->constant()->rank() > 2;
      const int64_t axis = stack && settings_.plan.activations ? -1 : site.axis;
      const auto [known, fresh] = axes.emplace(site.point.value, axis);
      if (!fresh && known->second != axis && settings_.plan.activations) known->second = -1;
    }
    return axes;
  }

  // Of the samples, or what is kept of them.
  absl::Status Measure(const BuildContext& context, const Plan& plan,
                       Histograms& histograms) const {
    std::vector<std::string> names(static_cast<size_t>(plan.ranges));
    for (const ActivationSite& site : plan.activations) {
      std::string& name = names[static_cast<size_t>(site.range)];
      absl::StrAppend(&name, name.empty() ? "histogram of " : ", ", site.points[0].tensor);
    }
    for (std::string& name : names) {
      if (settings_.samples > 0) absl::StrAppend(&name, " on ", settings_.samples, " samples");
    }
    bool known = context.kept != nullptr;
    for (size_t range = 0; known && range < names.size(); ++range) {
      const std::vector<double>* kept = context.kept->Find(names[range]);
      known = kept != nullptr && histograms.all()[range].FromNumbers(*kept);
    }
    if (known) return absl::OkStatus();
    if (context.samples == nullptr)
      return SamplesAreMissing(context, "activations are quantized by what they are seen to be");
    histograms = Histograms(plan);
    const calibration::SpreadSamples samples(*context.samples, settings_.samples);
    calibration::Observer* observers[] = {&histograms};
    absl::Status status = calibration::Calibrate(context.graph, samples, observers);
    if (!status.ok() || context.kept == nullptr) return status;
    for (size_t range = 0; range < names.size(); ++range)
      context.kept->Keep(names[range], histograms.all()[range].ToNumbers());
    return status;
  }

  std::vector<Command> Commands(const BuildContext& context, const Plan& plan) const {
    std::vector<Command> commands;
    const auto add = [&](const Point& point, Change change, std::string why) {
      commands.push_back(
          {point, Priority::kQuantization, std::move(change), "quantization", std::move(why)});
    };
    std::set<const ir::Operation*> replaced;  // whole nodes, with their biases
    for (const WeightSite& site : plan.weights) {
      if (!settings_.plan.dynamic) break;
      const QuantizedWeight& weight = decisions_.weights.at(site.point.value);
      std::optional<ir::Tensor> bias;
      for (const BiasSite& added : plan.biases) {
        const auto corrected = fit_.biases.find(added.op);
        if (added.product != site.op || corrected == fit_.biases.end() ||
            context.addresses.Of(*added.op).node != context.addresses.Of(*site.op).node)
          continue;
        bias = corrected->second;
        replaced.insert(added.op);
      }
      add(site.point,
          AsIntegers(*IntegerFormOf(context, *site.op), site.point.tensor, site.axis, weight.codes,
                     weight.grid, bias),
          bias ? "bias corrected" : "");
    }
    for (const ActivationSite& site : plan.activations) {
      if (settings_.plan.dynamic) break;
      for (const Point& point : site.points) add(point, Quantize{GridOf(site), std::nullopt}, "");
    }
    for (const WeightSite& site : plan.weights) {
      if (settings_.plan.dynamic) break;
      const QuantizedWeight& weight = decisions_.weights.at(site.point.value);
      add(site.point, Quantize{weight.grid, weight.codes}, "");
    }
    for (const BiasSite& site : plan.biases) {
      const auto bias = fit_.biases.find(site.op);
      if (bias == fit_.biases.end() || replaced.contains(site.op)) continue;
      if (site.present == nullptr) {
        add(site.point, AddOperand{bias->second}, "corrected");
      } else {
        add(site.point, SetConstant{bias->second}, "corrected");
      }
    }
    return commands;
  }

  const Grid& GridOf(const ActivationSite& site) const {
    return decisions_.activations[static_cast<size_t>(site.range)];
  }

  void Describe(const Plan& plan) {
    std::map<const ir::Operation*, LayerReport> by_product;
    for (const ir::Operation* product : plan.products) by_product[product];
    std::set<const ir::Value*> counted;
    for (const WeightSite& site : plan.weights) {
      LayerReport& layer = by_product[site.op];
      const QuantizedWeight& weight = decisions_.weights.at(site.point.value);
      layer.scope = site.point.scope;
      layer.what = absl::StrCat("weights to ", compression::Describe(weight.grid));
      // One that several read is stored once.
      if (!counted.insert(site.point.value).second) continue;
      layer.bytes_before += static_cast<int64_t>(site.point.value->constant()->bytes().size());
      layer.bytes_after +=
          site.point.value->constant()->size() *
              static_cast<int64_t>(ir::SizeOf(weight.grid.storage)) +
          weight.grid.scale.size() * static_cast<int64_t>(4 + ir::SizeOf(weight.grid.storage));
    }
    for (const ActivationSite& site : plan.activations) {
      for (const Point& point : site.points) {
        LayerReport& layer = by_product[point.op];
        layer.scope = point.scope;
        absl::StrAppend(&layer.what, layer.what.empty() ? "" : "; ",
                        point.place == Place::kPostHook ? "makes `" : "reads `", point.tensor,
                        "` as ", compression::Describe(GridOf(site)));
        const auto cut = fit_.saturated.find(site.value);
        if (cut != fit_.saturated.end()) layer.saturated = std::max(layer.saturated, cut->second);
      }
    }
    for (auto& [op, layer] : by_product) {
      const auto snr = fit_.snr.find(op);
      if (snr != fit_.snr.end()) layer.snr = snr->second;
    }
    int64_t before = 0, after = 0;
    std::vector<std::pair<int, LayerReport>> ordered;  // by the order of creation
    for (auto& [op, layer] : by_product) ordered.emplace_back(op->id(), std::move(layer));
    std::sort(ordered.begin(), ordered.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [id, layer] : ordered) {
      before += layer.bytes_before;
      after += layer.bytes_after;
      layers_.push_back(std::move(layer));
    }
    for (const Skipped& skipped : plan.skipped) {
      LayerReport layer;
      layer.scope = skipped.scope;
      layer.reason = skipped.reason;
      layers_.push_back(std::move(layer));
    }
    summary_ =
        absl::StrCat("quantization: ", plan.products.size(), " products, ", plan.activations.size(),
                     " activations, ", decisions_.weights.size(), " weights (",
                     fit_.rounded_by_output, " rounded by results; ", before, " bytes, now ", after,
                     "), ", fit_.biases.size(), " biases corrected", note_, "; ",
                     plan.skipped.size(), " operations left as they are", OutOfReach(plan.skipped));
  }

  QuantizationSettings settings_;
  Decisions decisions_;
  Fit fit_;
  std::vector<LayerReport> layers_;
  std::string summary_, note_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  absl::StatusOr<QuantizationSettings> settings = ReadSettings(section);
  if (!settings.ok()) return settings.status();
  return std::make_unique<QuantizationBuilder>(*std::move(settings));
}

}  // namespace

const Algorithm& Quantization() {
  static const Algorithm kQuantization = {"quantization", Priority::kQuantization,
                                          "activations and weights of products on integer grids",
                                          QuantizationKeys(), Configure};
  return kQuantization;
}

}  // namespace tessera::compression

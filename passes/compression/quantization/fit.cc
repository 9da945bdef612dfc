#include "passes/compression/quantization/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "passes/compression/calibration/statistics.h"
#include "passes/compression/quantization/product_shape.h"
#include "passes/compression/quantization/product_weights.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

class Fitting {
 public:
  Fitting(const BuildContext& context, const Plan& plan, Decisions& decisions,
          const FitOptions& options)
      : context_(context),
        decisions_(decisions),
        options_(options),
        sides_(context.graph, *context.samples, plan, decisions.activations, options.limits) {
    for (const BiasSite& site : plan.biases) {
      biases_[site.op] = &site;
      corrected_.insert(site.product);
    }
    products_.insert(plan.products.begin(), plan.products.end());
    reported_ = products_;
    for (const ir::Value* output : context.graph.outputs()) {
      if (output->producer() != nullptr) reported_.insert(output->producer());
    }
    std::map<const ir::Value*, int> sharers;
    for (const WeightSite& site : plan.weights) ++sharers[site.point.value];
    for (const WeightSite& site : plan.weights) {
      rounded_[site.op].push_back(&site);
      if (sharers[site.point.value] == 1 && site.axis >= 0) weights_[site.op] = &site;
    }
  }

  absl::StatusOr<Fit> Run() {
    if (absl::Status status = sides_.Start(); !status.ok()) return status;
    for (size_t step = 0; step < sides_.order().size(); ++step) {
      const ir::Operation& op = *sides_.order()[step];
      absl::Status status = sides_.Grow(step);
      if (status.ok()) status = sides_.RunExact(step);
      if (status.ok() && products_.contains(&op)) status = CheckRead(op);
      if (status.ok()) status = Round(op);
      if (status.ok() && options_.round_by_output && weights_.contains(&op))
        status = ChooseWeights(*weights_.at(&op));
      if (status.ok()) status = sides_.RunRounded(step);
      if (!status.ok()) return status;
      if (options_.correct_biases && biases_.contains(&op)) Correct(*biases_.at(&op));
      sides_.RoundResults(step);
      if (reported_.contains(&op)) Report(op);
      sides_.Release(step);
    }
    for (const auto& [value, counts] : sides_.cut())
      fit_.saturated[value] = static_cast<double>(counts.first) /
                              static_cast<double>(std::max<int64_t>(1, counts.second));
    return std::move(fit_);
  }

 private:
  const ir::Tensor& Exact(const ir::Operation& op, const SideBySide::Lane& lane) const {
    return *lane.exact[static_cast<size_t>(op.result()->id())];
  }
  const ir::Tensor& Rounded(const ir::Operation& op, const SideBySide::Lane& lane) const {
    return *lane.rounded[static_cast<size_t>(op.result()->id())];
  }

  // Ranges that runs choose themselves have not been looked at yet, nor have the samples where
  // weights alone are rounded.
  absl::Status CheckRead(const ir::Operation& op) const {
    const int data = TraitOf(op.info()).data;
    const auto id = static_cast<size_t>(op.operand(static_cast<size_t>(data))->id());
    int64_t elements = 0;
    for (const SideBySide::Lane& lane : sides_.lanes())
      elements += calibration::CountNotFinite(*lane.exact[id]);
    return elements == 0 ? absl::OkStatus() : NotFinite(context_, op, data, elements);
  }

  // Its constants become the nearest codes: what it reads alone, others keep what the file has.
  absl::Status Round(const ir::Operation& op) {
    const auto found = rounded_.find(&op);
    if (found == rounded_.end()) return absl::OkStatus();
    for (const WeightSite* site : found->second) {
      const QuantizedWeight& weight = decisions_.weights.at(site->point.value);
      absl::StatusOr<ir::Tensor> numbers =
          ReadThrough(*site, NumbersOf(weight.codes, weight.grid), sides_.lanes()[0].assignment);
      // Then it is as good as exact here.
      if (absl::IsUnimplemented(numbers.status())) continue;
      if (!numbers.ok()) return numbers.status();
      sides_.Supply(op, site->point.index, *std::move(numbers));
    }
    return absl::OkStatus();
  }

  absl::Status ChooseWeights(const WeightSite& site) {
    const bool centered = options_.correct_biases && corrected_.contains(site.op);
    QuantizedWeight& weight = decisions_.weights.at(site.point.value);
    WeightScheme scheme = options_.scheme;
    if (weight.grid.axis < 0) scheme.axis = -1;
    scheme.zeros_stay = weight.zeros_stay;
    const absl::StatusOr<bool> chosen = ChooseByResults(site, centered, scheme, sides_, weight);
    if (!chosen.ok()) return chosen.status();
    if (*chosen) ++fit_.rounded_by_output;
    return absl::OkStatus();
  }

  // Adds to each channel what the rounded results lack on average.
  void Correct(const BiasSite& site) {
    std::vector<SideBySide::Lane>& lanes = sides_.lanes();
    const Along along = Along::Axis(Exact(*site.op, lanes[0]).shape(), site.result_axis);
    std::vector<double> missing(static_cast<size_t>(along.n));
    double count = 0;
    for (const SideBySide::Lane& lane : lanes) {
      const ir::Tensor &exact = Exact(*site.op, lane), &rounded = Rounded(*site.op, lane);
      const Along here = Along::Axis(exact.shape(), site.result_axis);
      if (here.n != along.n) return;
      const float *x = exact.data<float>(), *y = rounded.data<float>();
      for (int64_t o = 0; o < here.outer; ++o) {
        for (int64_t c = 0; c < here.n; ++c) {
          const int64_t from = (o * here.n + c) * here.inner;
          double sum = 0;
          for (int64_t i = from; i < from + here.inner; ++i) sum += double{x[i]} - double{y[i]};
          missing[static_cast<size_t>(c)] += sum;
        }
      }
      count += static_cast<double>(here.outer * here.inner);
    }
    std::vector<float> bias, by;
    for (size_t c = 0; c < missing.size(); ++c) {
      const double shift = missing[c] / std::max(count, 1.0);
      const double present =
          site.present == nullptr
              ? 0
              : site.present->AsDouble(site.present->size() == 1 ? 0 : static_cast<int64_t>(c));
      by.push_back(static_cast<float>(shift));
      bias.push_back(static_cast<float>(present + shift));
      if (!std::isfinite(bias.back())) return;
    }
    std::vector<int64_t> shape = {static_cast<int64_t>(bias.size())};
    if (site.present != nullptr && site.present->size() == shape[0]) shape = site.present->shape();
    fit_.biases[site.op] = ir::Tensor::Of<float>(ir::DType::kF32, shape, bias);
    sides_.Shift(*site.op, site.result_axis, std::move(by));
  }

  void Report(const ir::Operation& op) {
    double signal = 0, noise = 0;
    for (const SideBySide::Lane& lane : sides_.lanes()) {
      const ir::Tensor &exact = Exact(op, lane), &rounded = Rounded(op, lane);
      if (exact.dtype() != ir::DType::kF32 || exact.shape() != rounded.shape()) return;
      const float *x = exact.data<float>(), *y = rounded.data<float>();
      for (int64_t i = 0; i < exact.size(); ++i) {
        signal += double{x[i]} * x[i];
        noise += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
      }
    }
    constexpr double kMost = 200;  // dB: as good as exact
    fit_.snr[&op] = noise == 0    ? kMost
                    : signal == 0 ? 0
                                  : std::min(kMost, 10 * std::log10(signal / noise));
  }

  const BuildContext& context_;
  Decisions& decisions_;
  const FitOptions& options_;
  SideBySide sides_;
  std::map<const ir::Operation*, const BiasSite*> biases_;
  std::map<const ir::Operation*, std::vector<const WeightSite*>> rounded_;
  std::map<const ir::Operation*, const WeightSite*> weights_;  // that are chosen by results
  std::set<const ir::Operation*> products_, reported_, corrected_;
  Fit fit_;
};

}  // namespace

absl::StatusOr<Fit> FitNetwork(const BuildContext& context, const Plan& plan, Decisions& decisions,
                               const FitOptions& options) {
  return Fitting(context, plan, decisions, options).Run();
}

}  // namespace tessera::compression

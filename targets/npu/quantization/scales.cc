#include "targets/npu/quantization/scales.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/quantization/chooser.h"

namespace tessera::npu {
namespace {

constexpr double kHeadroom = 1.0625;  // above what calibration saw, of values

std::string Named(const NetworkLayer& layer) {
  return absl::StrCat("`", std::string(layer.op->info().name), "` at `",
                      layer.op->location().ToString(), "`");
}

}  // namespace

absl::StatusOr<Interval> Chooser::RangeOf(const ir::Value* value) const {
  if (const ir::Tensor* constant = value->constant(); constant != nullptr) {
    Interval range;
    for (int64_t i = 0; i < constant->size(); ++i) {
      range.low = std::min(range.low, constant->AsDouble(i));
      range.high = std::max(range.high, constant->AsDouble(i));
    }
    return range;
  }
  if (const auto rounded = RoundedRangeOf(*value); rounded.has_value())
    return Interval{rounded->low, rounded->high};
  const auto found = ranges_.find(value);
  if (found != ranges_.end() && std::isfinite(found->second.low) &&
      std::isfinite(found->second.high))
    return found->second;
  for (Misfit& misfit : EndlessAt(*value)) Add(std::move(misfit));
  return Interval();
}

std::vector<Misfit> EndlessAt(const ir::Value& value) {
  constexpr char kYields[] = "calibration finds values that are not finite";
  constexpr char kTakes[] = "calibration finds values that are not finite in what it takes";
  if (const ir::Operation* made_by = value.producer(); made_by != nullptr)
    return {{made_by->location().ToString(), kYields, false, true}};
  std::vector<Misfit> misfits;
  for (const ir::Use& use : value.UsesUnsorted())
    misfits.push_back({use.op->location().ToString(), kTakes, false, true});
  return misfits;
}

void Chooser::Add(Misfit misfit) const {
  const bool known = std::any_of(misfits_.begin(), misfits_.end(), [&](const Misfit& other) {
    return other.scope == misfit.scope && other.tables == misfit.tables;
  });
  if (!known) misfits_.push_back(std::move(misfit));
}

void Chooser::Unite(const std::vector<std::pair<size_t, size_t>>& pairs) {
  for (size_t i = 0; i < network_.buffers.size(); ++i) {
    if (network_.buffers[i].owner != kNone) classes_.Unite(i, network_.buffers[i].owner);
  }
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    const NetworkLayer& layer = network_.layers[i];
    if (!Multiplies(layer.kind)) {
      classes_.Unite(layer.x, layer.out);
      continue;
    }
    if (network_.buffers[layer.out].is_sum) classes_.Unite(SumNode(i), layer.out);
    if (layer.kind == LayerKind::kAccumulate) classes_.Unite(SumNode(i), layer.y);
  }
  for (const auto& [a, b] : pairs) classes_.Unite(a, b);
  UniteAroundGates();
}

// z + x * gate, and what else is added: it is z where the gate is 0, however often. Gates are cut
// by weights of 1 and 0.
void Chooser::UniteAroundGates() {
  std::vector<size_t> inputs;
  for (const size_t input : network_.inputs) {
    if (options_.gates.contains(network_.buffers[input].value->name())) inputs.push_back(input);
  }
  const auto is_gate = [&](size_t buffer) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](size_t input) { return classes_.Find(input) == classes_.Find(buffer); });
  };
  for (const NetworkLayer& layer : network_.layers) {
    if (layer.kind != LayerKind::kAffine || layer.activated != layer.sum || !is_gate(layer.x))
      continue;
    const RealNumbers real = NumbersOf(layer);
    const bool cuts = real.greatest_bias == 0 &&
                      std::all_of(real.weights.begin(), real.weights.end(),
                                  [](double weight) { return weight == 0 || weight == 1; });
    if (cuts) classes_.Unite(layer.x, layer.out);
  }
  for (const NetworkLayer& product : network_.layers) {
    if (product.kind != LayerKind::kProduct) continue;
    const bool second = is_gate(product.y);
    if (!second && !is_gate(product.x)) continue;
    size_t base = product.out;
    for (const NetworkLayer& sum : network_.layers) {
      if (sum.kind != LayerKind::kAccumulate || sum.y != base || is_gate(sum.x)) continue;
      classes_.Unite(sum.x, second ? product.x : product.y);
      base = sum.out;
      if (!network_.buffers[base].is_sum && sum.activated == sum.sum) classes_.Unite(sum.x, base);
    }
  }
}

absl::Status Chooser::ScaleNumbers() {
  std::vector<double> greatest(scale_.size(), 0);
  const auto see = [&](size_t buffer, const ir::Value* value) {
    const absl::StatusOr<Interval> range = RangeOf(value);
    if (!range.ok()) return range.status();
    double& most = greatest[classes_.Find(buffer)];
    most = std::max(most, range->Magnitude());
    return absl::OkStatus();
  };
  for (size_t i = 0; i < network_.buffers.size(); ++i) {
    if (network_.buffers[i].is_sum) continue;
    if (absl::Status status = see(i, network_.buffers[i].value); !status.ok()) return status;
  }
  for (const NetworkLayer& layer : network_.layers) {
    if (network_.buffers[layer.out].is_sum || layer.activated == layer.result) continue;
    if (absl::Status status = see(layer.out, layer.activated); !status.ok()) return status;
  }
  // What calibration never saw other than 0 has the room of what it comes from; so has what one
  // value has more than another, whichever of them calibration found to be the greater.
  for (const NetworkLayer& layer : network_.layers) {
    double& most = greatest[classes_.Find(layer.out)];
    if (network_.buffers[layer.out].is_sum || layer.sum == layer.activated) continue;
    const ir::Operation* last = layer.activated->producer();
    if (most > 0 && (last == nullptr || StepOf(*last) != Step::kPositive)) continue;
    const absl::StatusOr<Interval> range = RangeOf(layer.sum);
    if (range.ok()) most = std::max(most, range->Magnitude());
  }
  for (size_t i = 0; i < network_.buffers.size(); ++i) {
    const size_t node = classes_.Find(i);
    if (network_.buffers[i].is_sum || scale_[node] != 0) continue;
    scale_[node] = any_.high / (greatest[node] > 0 ? greatest[node] * kHeadroom : 1);
  }
  for (const size_t input : network_.inputs) {
    const auto given = options_.scales.find(network_.buffers[input].value->name());
    if (given != options_.scales.end()) ScaleOf(input) = given->second;
  }
  return absl::OkStatus();
}

// The scale of a product of data follows from those of its factors, and from it the weights of what
// is added to it: where they would be too great, a factor gets a smaller scale. Scales become
// smaller alone, so that this ends.
absl::Status Chooser::FitProducts() {
  constexpr int kMostRounds = 64;
  for (int round = 0; round < kMostRounds; ++round) {
    bool fits = true;
    for (size_t p = 0; p < network_.layers.size(); ++p) {
      const NetworkLayer& product = network_.layers[p];
      if (product.kind != LayerKind::kProduct) continue;
      const size_t node = classes_.Find(SumNode(p));
      for (size_t i = 0; i < network_.layers.size(); ++i) {
        const NetworkLayer& layer = network_.layers[i];
        if (i == p || !Multiplies(layer.kind) || classes_.Find(SumNode(i)) != node) continue;
        // Of the same factors, parts of one product, say.
        if (layer.kind == LayerKind::kProduct && ScalesAlike(product, layer)) continue;
        if (layer.kind == LayerKind::kProduct) {
          Add({layer.op->location().ToString(),
               "it is added to another product of data, with scales of its own"});
          return absl::OkStatus();
        }
        const double weight = NumbersOf(layer).greatest_weight;
        const double code = weight * ScaleOf(product.x) * ScaleOf(product.y) / ScaleOf(layer.x);
        const double most =
            FormOf(layer) == WeightForm::kInt8 ? GreatestCode(WeightForm::kInt8) : kMostWeight;
        if (code <= most) continue;
        const bool same = classes_.Find(product.y) == classes_.Find(layer.x);
        ScaleOf(same ? product.x : product.y) *= most * kRoundingRoom / code;
        fits = false;
      }
    }
    if (fits) return absl::OkStatus();
  }
  return absl::InvalidArgumentError("no scales fit the products of data and what is added to them");
}

absl::StatusOr<Scaling> Chooser::Choose(const std::vector<std::pair<size_t, size_t>>& pairs) {
  Unite(pairs);
  FindFilled(pairs);
  if (absl::Status status = ScaleNumbers(); !status.ok()) return status;
  if (absl::Status status = FitProducts(); !status.ok()) return status;
  if (!misfits_.empty()) return std::move(scaling_);  // tables for no ranges say nothing
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    absl::Status status = Finish(i);
    if (!status.ok())
      return absl::Status(status.code(),
                          absl::StrCat(Named(network_.layers[i]), ": ", status.message()));
  }
  for (size_t i = 0; i < network_.buffers.size(); ++i) scaling_.buffers.push_back(ScaleOf(i));
  return std::move(scaling_);
}

absl::StatusOr<Scaling> ScalesOf(const Network& network, const Ranges& ranges,
                                 const std::vector<std::pair<size_t, size_t>>& pairs,
                                 const QuantizeOptions& options, std::vector<Misfit>& misfits) {
  return Chooser(network, ranges, options, misfits).Choose(pairs);
}

}  // namespace tessera::npu

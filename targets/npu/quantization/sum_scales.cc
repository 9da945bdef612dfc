// The form of weights, the scales of sums, and what a layer's integers can be.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ir/registry.h"
#include "targets/npu/pwl/error.h"
#include "targets/npu/quantization/chooser.h"

namespace tessera::npu {
namespace {

constexpr double kMostSlope = 32767;
constexpr double kSumHeadroom = 2;      // of sums that nothing proves
constexpr double kEnoughWeight = 4096;  // of the greatest weight, where a proof makes it small

// Where the result can be for sums in an interval.
Interval ResultsOf(const Table& table, const Interval& sums, const Interval& any) {
  const auto low = static_cast<int64_t>(sums.low), high = static_cast<int64_t>(sums.high);
  Interval results = {INFINITY, -INFINITY};
  const auto see = [&](int64_t x) {
    if (x < low || x > high) return;
    const double y = std::clamp(static_cast<double>(ValueOf(table.segments, x)), any.low, any.high);
    results.low = std::min(results.low, y);
    results.high = std::max(results.high, y);
  };
  see(low);
  see(high);
  for (const TableSegment& segment : table.segments) {
    see(segment.position() - 1);
    see(segment.position());
    see(segment.position() + 1);
  }
  return results;
}

}  // namespace

std::string_view LayerName(LayerKind kind, const Device& device) {
  switch (kind) {
    case LayerKind::kAffine:
      return "affine";
    case LayerKind::kDiagonal:
    case LayerKind::kAccumulate:
    case LayerKind::kProduct:
      return "diagonal";
    case LayerKind::kRowConvolution:
      return device.Find("convolution_1d") != nullptr ? "convolution_1d" : "convolution_row";
    case LayerKind::kImageConvolution:
      return "convolution_2d";
    case LayerKind::kCopy:
      return "copy";
    case LayerKind::kInterleave:
      return "interleave";
    case LayerKind::kDeinterleave:
      break;
  }
  return "deinterleave";
}

WeightForm Chooser::FormOf(const NetworkLayer& layer) const {
  const Device& device = *options_.device;
  const DataType i8 = DataType::kInt8;
  const Layer* description = device.Find(LayerName(layer.kind, device));
  if (description == nullptr) return WeightForm::kInt16;
  for (const Rule& rule : description->rules) {
    if (rule.kind == Rule::kSameType && rule.place == "filters")
      return options_.numbers == i8 ? WeightForm::kInt8 : WeightForm::kInt16;
  }
  if (!options_.int8_weights || layer.kind == LayerKind::kAccumulate ||
      layer.kind == LayerKind::kProduct)
    return WeightForm::kInt16;
  const Place* weights = description->Find("weights");
  if (weights == nullptr) weights = description->Find("filters");
  if (weights == nullptr ||
      std::find(weights->types.begin(), weights->types.end(), i8) == weights->types.end())
    return WeightForm::kInt16;
  for (const Products& products : description->products) {
    if (products.input == options_.numbers && products.weights == i8)
      return products.compound ? WeightForm::kCompound : WeightForm::kInt8;
  }
  return WeightForm::kInt16;
}

size_t Chooser::RootOf(size_t buffer) const {
  while (network_.buffers[buffer].owner != kNone) buffer = network_.buffers[buffer].owner;
  return buffer;
}

Interval Chooser::IntervalOf(size_t buffer) const { return interval_[RootOf(buffer)]; }

// Memory that layers fill in parts, and nothing else does: no inputs, constants, or what a run
// finds, and nothing is left between them.
void Chooser::FindFilled(const std::vector<std::pair<size_t, size_t>>& pairs) {
  const std::vector<Buffer>& buffers = network_.buffers;
  std::vector<int64_t> written(buffers.size(), 0);
  for (const NetworkLayer& layer : network_.layers)
    written[RootOf(layer.out)] += buffers[layer.out].elements;
  filled_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) filled_[i] = written[i] == buffers[i].elements;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].constant != nullptr || buffers[i].is_input) filled_[RootOf(i)] = false;
  }
  for (const auto& [found, left] : pairs) filled_[RootOf(found)] = false;
  seen_.resize(buffers.size());
}

// Of what several layers write parts of, all that any of them writes.
void Chooser::Widen(size_t buffer, const Interval& interval) {
  const size_t root = RootOf(buffer);
  Interval& all = interval_[root];
  if (root == buffer) all = interval;
  if (root == buffer || !filled_[root]) return;
  all = seen_[root] ? Interval{std::min(all.low, interval.low), std::max(all.high, interval.high)}
                    : interval;
  seen_[root] = true;
}

// Where the room of sums leaves weights few bits: of scales down to half of what there is room for
// the one by which sums lose least to the rounding of weights: next to what inputs vary by, their
// middle times the errors of a row, which of weights of few levels have one sign.
double Chooser::LeastRounding(const std::vector<size_t>& members, double scale) {
  constexpr double kManyBits = 8192;          // from which on nothing is gained
  constexpr size_t kMostWeights = 1u << 21u;  // that are looked at so often
  constexpr int kSteps = 64;
  size_t count = 0;
  double codes = 0;
  for (const size_t i : members) {
    const NetworkLayer& layer = network_.layers[i];
    if (FormOf(layer) != WeightForm::kInt16) return scale;
    const RealNumbers& real = scaling_.layers[i].real;
    count += real.weights.size();
    codes = std::max(codes, real.greatest_weight * scale / ScaleOf(layer.x));
  }
  if (codes >= kManyBits || count > kMostWeights) return scale;
  double best = scale, least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSteps; ++step) {
    const double candidate = scale * (1 - 0.5 * step / kSteps);
    double error = 0;
    for (const size_t i : members) {
      const RealNumbers& real = scaling_.layers[i].real;
      const Interval x = IntervalOf(network_.layers[i].x);
      const double unit = candidate / ScaleOf(network_.layers[i].x);
      const double middle = (x.low + x.high) / 2, spread = (x.high - x.low) * (x.high - x.low) / 12;
      for (size_t at = 0; at < real.weights.size();) {
        double sum = 0, squares = 0;
        for (int64_t k = 0; k < real.per_row; ++k, ++at) {
          const double code = real.weights[at] * unit, off = code - std::round(code);
          sum += off;
          squares += off * off;
        }
        error += (sum * sum * middle * middle + squares * spread) / (candidate * candidate);
      }
    }
    if (error >= least) continue;
    least = error;
    best = candidate;
  }
  return best;
}

// Chooses the scale of the sums of a layer, and of those that they are added to.
absl::Status Chooser::ScaleSums(size_t first) {
  const size_t node = classes_.Find(SumNode(first));
  if (scale_[node] != 0) return absl::OkStatus();
  double free = std::numeric_limits<double>::infinity(), bound = 0, enough = 0;
  std::vector<size_t> members;
  for (size_t i = first; i < network_.layers.size(); ++i) {
    const NetworkLayer& layer = network_.layers[i];
    if (!Multiplies(layer.kind) || classes_.Find(SumNode(i)) != node) continue;
    members.push_back(i);
    const double x = ScaleOf(layer.x);
    if (layer.kind == LayerKind::kProduct) {
      scale_[node] = x * ScaleOf(layer.y);
      return absl::OkStatus();
    }
    ScaledLayer& scaled = scaling_.layers[i];
    scaled.real = NumbersOf(layer);
    const RealNumbers& real = scaled.real;
    const WeightForm form = FormOf(layer);
    if (real.greatest_weight > 0) {
      free = std::min(free, GreatestCode(form) * x / real.greatest_weight);
      enough = std::max(enough, kEnoughWeight * x / real.greatest_weight);
    }
    if (real.greatest_bias > 0)
      free = std::min(free, kMostSum * kRoundingRoom / real.greatest_bias);
    for (const ir::Value* value : {static_cast<const ir::Value*>(layer.op->result()), layer.sum}) {
      const absl::StatusOr<Interval> range = RangeOf(value);
      if (!range.ok()) return range.status();
      if (range->Magnitude() > 0)
        free = std::min(free, kMostSum / (kSumHeadroom * range->Magnitude()));
    }
    // Sums that are added to each other are bounded together.
    const Interval inputs = IntervalOf(layer.x);
    bound += real.BoundFor({inputs.low / x, inputs.high / x});
  }
  if (!std::isfinite(free)) free = 1;  // nothing but zeros
  double scale = free;
  const double provable = bound > 0 ? kMostSum * kRoundingRoom / bound : free;
  if (provable < free && provable >= enough) scale = provable;
  scale = LeastRounding(members, scale);
  scale_[node] = scale;
  // Slopes of lines that the device has exactly: 1 first of all.
  for (const size_t i : members) {
    const NetworkLayer& layer = network_.layers[i];
    if (!layer.function.has_value()) continue;
    const Interval any = {kLeastSum, kMostSum};
    const absl::StatusOr<Table> plain = TableAt(layer, scale, any);
    if (plain.ok() && !plain->exact) break;
    const double slope = ScaleOf(layer.out) / scale;
    double unit = 256;
    while (slope * unit * 256 <= kMostSlope && unit < 4294967296.0) unit *= 256;
    const double exact = ScaleOf(layer.out) * unit / std::ceil(slope * unit);
    const absl::StatusOr<Table> fitted = TableAt(layer, exact, any);
    if (fitted.ok() && (!plain.ok() || fitted->error < plain->error)) scale_[node] = exact;
    break;
  }
  return absl::OkStatus();
}

absl::Status Chooser::Finish(size_t index) {
  const NetworkLayer& layer = network_.layers[index];
  ScaledLayer& scaled = scaling_.layers[index];
  scaled.input_scale = ScaleOf(layer.x);
  scaled.output_scale = ScaleOf(layer.out);
  if (!Multiplies(layer.kind)) {
    const Interval x = IntervalOf(layer.x);  // and zeros where a copy leaves room
    Widen(layer.out, {std::min(x.low, 0.0), std::max(x.high, 0.0)});
    return absl::OkStatus();
  }
  if (absl::Status status = ScaleSums(index); !status.ok()) return status;
  scaled.sum_scale = ScaleOf(SumNode(index));
  if (network_.buffers[layer.out].is_sum) scaled.output_scale = scaled.sum_scale;
  scaled.weight_scale = scaled.sum_scale / scaled.input_scale;
  Interval sums;
  const Interval x = IntervalOf(layer.x);
  if (layer.kind == LayerKind::kProduct) {
    const Interval y = IntervalOf(layer.y);
    const auto [low, high] =
        std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
    sums = {low, high};
  } else {
    scaled.real = NumbersOf(layer);
    scaled.integers = Quantized(scaled.real, FormOf(layer), scaled.weight_scale, scaled.sum_scale);
    sums = SumsOf(scaled.real, scaled.integers, x);
    if (layer.kind == LayerKind::kAccumulate) {
      const Interval y = IntervalOf(layer.y);
      sums = {sums.low + y.low, sums.high + y.high};
    }
  }
  scaled.proved = sums.low >= kLeastSum && sums.high <= kMostSum;
  if (layer.pool != nullptr && layer.pools_sums) {
    const int window = ir::FindAttr(layer.pool->info(), "window");
    const int kind = ir::FindAttr(layer.pool->info(), "kind");
    if (std::get<int64_t>(layer.pool->attr(static_cast<size_t>(kind))) != 0) {
      for (const int64_t size :
           std::get<std::vector<int64_t>>(layer.pool->attr(static_cast<size_t>(window)))) {
        sums.low *= static_cast<double>(size);
        sums.high *= static_cast<double>(size);
      }
    }
    scaled.proved = sums.low >= kLeastSum && sums.high <= kMostSum;
  }
  sums = {std::max(sums.low, kLeastSum), std::min(sums.high, kMostSum)};
  if (!layer.function.has_value()) {
    Widen(layer.out, sums);
    return absl::OkStatus();
  }
  absl::StatusOr<Table> table = TableAt(layer, scaled.sum_scale, sums);
  if (!table.ok()) {
    AddTable(layer, std::string(table.status().message()));
    Widen(layer.out, any_);
    return absl::OkStatus();
  }
  // What comes behind pooling lies between what it takes; a sum of them may be anything.
  Widen(layer.out,
        layer.pool != nullptr && !layer.pools_sums ? any_ : ResultsOf(*table, sums, any_));
  scaled.table = *std::move(table);
  return absl::OkStatus();
}

}  // namespace tessera::npu

#include "targets/npu/quantization/scales.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/pwl/error.h"

namespace tessera::npu {
namespace {

constexpr double kMostWeight = 32767, kMostSlope = 32767, kMostSum = 2147483647.0;
constexpr double kHeadroom = 1.0625;     // above what calibration saw, of values
constexpr double kSumHeadroom = 2;       // of sums that nothing proves
constexpr double kEnoughWeight = 4096;   // of the greatest weight, where a proof makes it small
constexpr double kRoundingRoom = 0.998;  // what rounding weights may add to a bound

// Sets with one representative each.
class Classes {
 public:
  explicit Classes(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Unite(size_t a, size_t b) {
    a = Find(a), b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

std::string Named(const NetworkLayer& layer) {
  return absl::StrCat("`", std::string(layer.op->info().name), "` at `",
                      layer.op->location().ToString(), "`");
}

class Chooser {
 public:
  Chooser(const Network& network, const Ranges& ranges, const QuantizeOptions& options)
      : network_(network),
        ranges_(ranges),
        options_(options),
        any_(NumbersOfType(options.numbers)),
        classes_(network.buffers.size() + network.layers.size()),
        scale_(network.buffers.size() + network.layers.size(), 0),
        interval_(network.buffers.size(), any_) {
    for (size_t i = 0; i < network.buffers.size(); ++i) {
      if (network.buffers[i].is_sum) interval_[i] = {-2147483648.0, kMostSum};
    }
    scaling_.layers.resize(network.layers.size());
  }

  absl::StatusOr<Scaling> Choose(const std::vector<std::pair<size_t, size_t>>& pairs);

 private:
  size_t SumNode(size_t layer) const { return network_.buffers.size() + layer; }
  double& ScaleOf(size_t node) { return scale_[classes_.Find(node)]; }
  absl::StatusOr<Interval> RangeOf(const ir::Value* value) const;
  void Unite(const std::vector<std::pair<size_t, size_t>>& pairs);
  absl::Status ScaleNumbers();
  absl::Status FitProducts();
  bool ScalesAlike(const NetworkLayer& a, const NetworkLayer& b) {
    const size_t ax = classes_.Find(a.x), ay = classes_.Find(a.y);
    const size_t bx = classes_.Find(b.x), by = classes_.Find(b.y);
    return (ax == bx && ay == by) || (ax == by && ay == bx);
  }
  absl::Status ScaleSums(size_t layer);
  absl::Status Finish(size_t layer);
  absl::StatusOr<Table> TableAt(const NetworkLayer& layer, double sum_scale,
                                const Interval& sums) const;
  double ErrorOf(const NetworkLayer& layer) const;
  WeightForm FormOf(const NetworkLayer& layer) const;
  size_t RootOf(size_t buffer) const;
  Interval IntervalOf(size_t buffer) const;
  void FindFilled(const std::vector<std::pair<size_t, size_t>>& pairs);
  void Widen(size_t buffer, const Interval& interval);

  const Network& network_;
  const Ranges& ranges_;
  const QuantizeOptions& options_;
  const Interval any_;  // what a number that is no sum can be
  Classes classes_;
  std::vector<double> scale_;        // by representative; 0: not chosen
  std::vector<Interval> interval_;   // by buffer that is no part: what its integers can be
  std::vector<bool> filled_, seen_;  // by buffer that is no part, of such that has parts
  Scaling scaling_;
};

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
  if (found == ranges_.end() || !std::isfinite(found->second.low) ||
      !std::isfinite(found->second.high))
    return absl::InvalidArgumentError(
        absl::StrCat("calibration gives no finite range of `", value->name(), "`"));
  return found->second;
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
        if (layer.kind == LayerKind::kProduct)
          return absl::UnimplementedError(
              absl::StrCat(Named(layer), ": added to another product of data"));
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
  scale_[node] = scale;
  // Slopes of lines that the device has exactly: 1 first of all.
  for (const size_t i : members) {
    const NetworkLayer& layer = network_.layers[i];
    if (!layer.function.has_value()) continue;
    const Interval any = {-2147483648.0, kMostSum};
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

// The error of a table. Sums of values of one sign that err alike, as exponentials of nearly
// nothing do, add it up: their tables are closer, so that the sums are as close as they were to be.
double Chooser::ErrorOf(const NetworkLayer& layer) const {
  double error = options_.pwl_max_error;
  const absl::StatusOr<Interval> values = RangeOf(layer.activated);
  if (!values.ok() || values->low < 0 || !(values->high > 0)) return error;
  for (const NetworkLayer& reader : network_.layers) {
    if (reader.kind != LayerKind::kAffine && reader.kind != LayerKind::kRowConvolution) continue;
    if (RootOf(reader.x) != RootOf(layer.out)) continue;
    const RealNumbers real = NumbersOf(reader);
    const absl::StatusOr<Interval> sums = RangeOf(reader.sum);
    double most = 0;
    for (int64_t r = 0; r < real.rows; ++r) {
      double all = 0;
      for (int64_t i = 0; i < real.per_row && all >= 0; ++i) {
        const double weight = real.weights[static_cast<size_t>(r * real.per_row + i)];
        all = weight < 0 ? -1 : all + weight;
      }
      most = std::max(most, all);
    }
    if (sums.ok() && sums->Magnitude() > 0 && most > 0)
      error = std::min(error, options_.pwl_max_error * sums->Magnitude() / (most * values->high));
  }
  return error;
}

absl::StatusOr<Table> Chooser::TableAt(const NetworkLayer& layer, double sum_scale,
                                       const Interval& sums) const {
  const absl::StatusOr<Interval> range = RangeOf(layer.sum);
  if (!range.ok()) return range.status();
  TableRequest request;
  request.function.function = &*layer.function;
  request.function.in = sum_scale;
  request.function.lowest = static_cast<int64_t>(any_.low);
  request.function.highest = static_cast<int64_t>(any_.high);
  request.function.out =
      const_cast<Chooser*>(this)->ScaleOf(layer.out);  // finding shortens paths, no more
  const double low = std::max(sums.low, -2147483648.0), high = std::min(sums.high, kMostSum);
  request.least = static_cast<int64_t>(std::floor(std::clamp(range->low * sum_scale, low, high)));
  request.most = static_cast<int64_t>(std::ceil(std::clamp(range->high * sum_scale, low, high)));
  request.lowest = static_cast<int64_t>(low);
  request.highest = static_cast<int64_t>(high);
  request.max_error = ErrorOf(layer);
  const Device& device = *options_.device;
  const Layer* description = device.Find(LayerName(layer.kind, device));
  const Place* table = description == nullptr ? nullptr : description->Find("pwl");
  const Limit* segments = table == nullptr ? nullptr : table->Find('H');
  if (segments != nullptr) {
    request.least_segments = segments->least;
    request.most_segments = segments->most;
  }
  // What rounds to steps that are coarser than numbers of the device is a line through them.
  if (const auto rounded = RoundedRangeOf(*layer.activated); rounded.has_value())
    request.rounding += rounded->step / 2 * request.function.out;
  // Where the function hardly moves the error is little beside what the device's shifts and whole
  // numbers leave; more so of numbers of 8 bits.
  const double most_rounding = request.rounding + (options_.numbers == DataType::kInt8 ? 1.5 : 0.5);
  absl::StatusOr<Table> design = DesignTable(request);
  while (!design.ok() && request.rounding < most_rounding) {
    request.rounding += 0.25;
    design = DesignTable(request);
  }
  // What is closer than asked is so as far as the device's segments go.
  while (!design.ok() && request.max_error < options_.pwl_max_error) {
    request.max_error = std::min(2 * request.max_error, options_.pwl_max_error);
    design = DesignTable(request);
  }
  if (design.ok()) return design;
  return absl::Status(design.status().code(),
                      absl::StrCat(design.status().message(), ", over sums from ",
                                   static_cast<double>(request.least) / sum_scale, " to ",
                                   static_cast<double>(request.most) / sum_scale, " (of ",
                                   static_cast<double>(request.lowest) / sum_scale, " to ",
                                   static_cast<double>(request.highest) / sum_scale, ")"));
}

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
  scaled.proved = sums.low >= -2147483648.0 && sums.high <= kMostSum;
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
    scaled.proved = sums.low >= -2147483648.0 && sums.high <= kMostSum;
  }
  sums = {std::max(sums.low, -2147483648.0), std::min(sums.high, kMostSum)};
  if (!layer.function.has_value()) {
    Widen(layer.out, sums);
    return absl::OkStatus();
  }
  absl::StatusOr<Table> table = TableAt(layer, scaled.sum_scale, sums);
  if (!table.ok()) return table.status();
  // What comes behind pooling lies between what it takes; a sum of them may be anything.
  Widen(layer.out,
        layer.pool != nullptr && !layer.pools_sums ? any_ : ResultsOf(*table, sums, any_));
  scaled.table = *std::move(table);
  return absl::OkStatus();
}

absl::StatusOr<Scaling> Chooser::Choose(const std::vector<std::pair<size_t, size_t>>& pairs) {
  Unite(pairs);
  FindFilled(pairs);
  if (absl::Status status = ScaleNumbers(); !status.ok()) return status;
  if (absl::Status status = FitProducts(); !status.ok()) return status;
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    absl::Status status = Finish(i);
    if (!status.ok())
      return absl::Status(status.code(),
                          absl::StrCat(Named(network_.layers[i]), ": ", status.message()));
  }
  for (size_t i = 0; i < network_.buffers.size(); ++i) scaling_.buffers.push_back(ScaleOf(i));
  return std::move(scaling_);
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

absl::StatusOr<Scaling> ScalesOf(const Network& network, const Ranges& ranges,
                                 const std::vector<std::pair<size_t, size_t>>& pairs,
                                 const QuantizeOptions& options) {
  return Chooser(network, ranges, options).Choose(pairs);
}

}  // namespace tessera::npu

// Tables of layers' functions over the sums that the layers can have.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/quantization/chooser.h"

namespace tessera::npu {

// All that the function is of, or the layer where it is no function of its own.
void Chooser::AddTable(const NetworkLayer& layer, std::string reason) const {
  if (layer.sum == layer.activated) Add({layer.op->location().ToString(), std::move(reason)});
  std::vector<const ir::Value*> left = {layer.activated};
  while (!left.empty()) {
    const ir::Value* value = left.back();
    left.pop_back();
    if (value == layer.sum || value->constant() != nullptr) continue;
    Add({value->producer()->location().ToString(), reason, true});
    for (const ir::Value* operand : value->producer()->operands()) {
      if (operand != nullptr) left.push_back(operand);
    }
  }
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
  const double low = std::max(sums.low, kLeastSum), high = std::min(sums.high, kMostSum);
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

}  // namespace tessera::npu

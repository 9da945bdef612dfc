#include "passes/compression/quantization/channel_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/compression/calibration/spread_samples.h"
#include "passes/compression/quantization/rounding.h"
#include "targets/reference/bind_symbols.h"

namespace tessera::compression {
namespace {

// Factors that make channels alike need not be exact: more samples would hardly move them.
constexpr size_t kMostSamples = 64;

}  // namespace

absl::Status ChannelRanges::Measure(const BuildContext& context, const std::vector<Wanted>& wanted,
                                    std::string_view what) {
  const bool known = std::all_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
    const std::vector<double>* kept =
        context.kept == nullptr ? nullptr : context.kept->Find(one.name);
    return kept != nullptr && FromNumbers(one.value, *kept);
  });
  if (known) return absl::OkStatus();
  if (context.samples == nullptr) return SamplesAreMissing(context, what);
  all_.clear();
  for (const Wanted& one : wanted) axes_[one.value] = one.axis;
  calibration::Observer* observers[] = {this};
  const calibration::SpreadSamples samples(*context.samples, kMostSamples);
  absl::Status status = calibration::Calibrate(context.graph, samples, observers);
  if (!status.ok() || context.kept == nullptr) return status;
  for (const Wanted& one : wanted) context.kept->Keep(one.name, ToNumbers(one.value));
  return status;
}

absl::StatusOr<solver::Assignment> SizesOfFirst(const BuildContext& context,
                                                std::string_view what) {
  constexpr char kAll[] = "sizes of the first sample", kEach[] = "size ";
  if (context.samples == nullptr) {
    if (context.kept == nullptr || context.kept->Find(kAll) == nullptr)
      return SamplesAreMissing(context, what);
    solver::Assignment sizes;
    for (const auto& [name, numbers] : context.kept->all()) {
      if (absl::StartsWith(name, kEach) && numbers.size() == 1)
        sizes[name.substr(sizeof(kEach) - 1)] = static_cast<int64_t>(numbers[0]);
    }
    return sizes;
  }
  const absl::StatusOr<std::vector<ir::Tensor>> inputs = context.samples->Load(0);
  if (!inputs.ok()) return inputs.status();
  absl::StatusOr<solver::Assignment> sizes = reference::BindSymbols(context.graph, *inputs);
  if (!sizes.ok() || context.kept == nullptr || context.kept->Find(kAll) != nullptr) return sizes;
  context.kept->Keep(kAll, {});
  for (const auto& [symbol, size] : *sizes)
    context.kept->Keep(absl::StrCat(kEach, symbol), {static_cast<double>(size)});
  return sizes;
}

void ChannelRanges::See(const ir::Value& value, const ir::Tensor& tensor) {
  const auto axis = axes_.find(&value);
  if (axis == axes_.end() || tensor.dtype() != ir::DType::kF32) return;
  const Along along = Along::Axis(tensor.shape(), axis->second);
  Ends& ends = all_[&value];
  if (ends.least.empty()) {
    ends.least.assign(static_cast<size_t>(along.n), std::numeric_limits<double>::infinity());
    ends.most.assign(static_cast<size_t>(along.n), -std::numeric_limits<double>::infinity());
    ends.sum.assign(static_cast<size_t>(along.n), 0);
    ends.squares = ends.sum;
  }
  if (static_cast<int64_t>(ends.least.size()) != along.n) {
    ends.finite = false;
    return;
  }
  const float* x = tensor.data<float>();
  for (int64_t o = 0; o < along.outer; ++o) {
    for (int64_t c = 0; c < along.n; ++c, x += along.inner) {
      float least = std::numeric_limits<float>::infinity(), most = -least;
      double sum = 0, squares = 0;  // not finite once an element is not
      for (int64_t i = 0; i < along.inner; ++i) {
        least = std::min(least, x[i]);
        most = std::max(most, x[i]);
        sum += double{x[i]};
        squares += double{x[i]} * double{x[i]};
      }
      const auto channel = static_cast<size_t>(c);
      ends.finite = ends.finite && std::isfinite(squares);
      ends.least[channel] = std::min(ends.least[channel], double{least});
      ends.most[channel] = std::max(ends.most[channel], double{most});
      ends.sum[channel] += sum;
      ends.squares[channel] += squares;
    }
  }
  ends.count += static_cast<double>(along.outer * along.inner);
}

double ChannelRanges::Ends::Spread(size_t channel, double middle) const {
  if (count == 0) return 0;
  const double mean = sum[channel] / count;
  const double about_mean = std::max(0.0, squares[channel] / count - mean * mean);
  return std::sqrt(about_mean + (mean - middle) * (mean - middle));
}

std::vector<double> ChannelRanges::ToNumbers(const ir::Value* value) const {
  const Ends* ends = Of(value);
  if (ends == nullptr) return {};
  std::vector<double> numbers = {ends->count};
  for (const std::vector<double>* part : {&ends->least, &ends->most, &ends->sum, &ends->squares})
    numbers.insert(numbers.end(), part->begin(), part->end());
  return numbers;
}

bool ChannelRanges::FromNumbers(const ir::Value* value, const std::vector<double>& numbers) {
  if (numbers.size() < 5 || numbers.size() % 4 != 1 || !(numbers[0] > 0)) return false;
  Ends ends;
  ends.count = numbers[0];
  const size_t channels = numbers.size() / 4;
  auto from = numbers.begin() + 1;
  for (std::vector<double>* part : {&ends.least, &ends.most, &ends.sum, &ends.squares}) {
    part->assign(from, from + static_cast<std::ptrdiff_t>(channels));
    from += static_cast<std::ptrdiff_t>(channels);
  }
  all_[value] = std::move(ends);
  return true;
}

const ChannelRanges::Ends* ChannelRanges::Of(const ir::Value* value) const {
  const auto found = all_.find(value);
  return found == all_.end() || !found->second.finite ? nullptr : &found->second;
}

}  // namespace tessera::compression

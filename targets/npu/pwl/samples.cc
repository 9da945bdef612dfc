#include "targets/npu/pwl/samples.h"

#include <algorithm>
#include <cmath>

namespace tessera::npu {
namespace {

constexpr int64_t kUniform = 1024;
constexpr size_t kMostSamples = 65536;
constexpr double kBeyond = 2;

}  // namespace

double ScaledFunction::operator()(int64_t sum) const {
  const double y = (*function)(static_cast<double>(sum) / in) * out;
  const auto least = static_cast<double>(lowest), most = static_cast<double>(highest);
  return std::isnan(y) ? least : std::clamp(y, least - kBeyond, most + kBeyond);
}

std::vector<Sample> SamplesOf(const ScaledFunction& function, int64_t least, int64_t most,
                              double tolerance) {
  const auto quarter = [](int64_t x) { return x >> 2; };
  const int64_t first = quarter(least), last = std::max(quarter(most + 3), first);
  const int64_t step = std::max<int64_t>(1, (last - first) / kUniform);
  const auto sample = [&](int64_t q) { return Sample{q * 4, function(q * 4)}; };
  std::vector<Sample> samples;
  for (int64_t q = first; q < last; q += step) samples.push_back(sample(q));
  samples.push_back(sample(last));
  bool refined = true;
  while (refined && samples.size() < kMostSamples) {
    refined = false;
    std::vector<Sample> finer;
    for (size_t i = 0; i < samples.size(); ++i) {
      finer.push_back(samples[i]);
      if (i + 1 == samples.size() || finer.size() + samples.size() >= kMostSamples) continue;
      const Sample &a = samples[i], &b = samples[i + 1];
      if (b.x - a.x <= 4) continue;
      const Sample middle = sample((a.x + b.x) >> 3);
      const double part = static_cast<double>(middle.x - a.x) / static_cast<double>(b.x - a.x);
      if (std::abs(a.y + (b.y - a.y) * part - middle.y) <= tolerance) continue;
      finer.push_back(middle);
      refined = true;
    }
    samples = std::move(finer);
  }
  return samples;
}

}  // namespace tessera::npu

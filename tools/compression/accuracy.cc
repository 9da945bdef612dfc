#include "tools/compression/accuracy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"

namespace tessera::tools {
namespace {

constexpr char kIgnored[] = "ignored_scopes", kTargets[] = "target_scopes";
constexpr size_t kSamplesToRank = 4;

double Least(const std::vector<Quality>& qualities) {
  double least = qualities.empty() ? 0 : qualities[0].snr;
  for (const Quality& quality : qualities) least = std::min(least, quality.snr);
  return least;
}

bool Knows(const Chosen& chosen, std::string_view key) {
  return std::any_of(chosen.algorithm->keys.begin(), chosen.algorithm->keys.end(),
                     [&](const compression::Key& known) { return known.name == key; });
}

// With more scopes of that key, of whoever knows it.
CompressionConfiguration With(CompressionConfiguration configuration, std::string_view key,
                              const std::vector<std::string>& scopes, bool in_place) {
  for (Chosen& chosen : configuration.algorithms) {
    if (!Knows(chosen, key)) continue;
    std::vector<std::string> names = scopes;
    if (!in_place) {
      const std::vector<std::string> present = chosen.section.Names(key);
      names.insert(names.begin(), present.begin(), present.end());
    }
    chosen.section.Override(key, std::move(names));
  }
  return configuration;
}

}  // namespace

absl::StatusOr<Bounded> CompressWithin(const CompressionRequest& request,
                                       const CompressionConfiguration& configuration,
                                       const std::string& data, double least_snr) {
  const auto with = [&](std::vector<std::string> exact) -> absl::StatusOr<Bounded> {
    absl::StatusOr<Compressed> compressed =
        Compress(request, With(configuration, kIgnored, exact, false));
    if (!compressed.ok()) return compressed.status();
    absl::StatusOr<std::vector<Quality>> qualities = Compare(request, compressed->model, data);
    if (!qualities.ok()) return qualities.status();
    return Bounded{*std::move(compressed), *std::move(qualities), std::move(exact)};
  };
  absl::StatusOr<Bounded> best = with({});
  if (!best.ok() || Least(best->qualities) >= least_snr) return best;
  CompressionRequest few = request;
  few.statistics = nullptr;  // those are of all samples
  few.samples.most = kSamplesToRank;
  std::vector<std::pair<double, std::string>> effects;
  for (const compression::LayerReport& layer : best->compressed.controller.Statistics()) {
    if (!layer.reason.empty()) continue;
    const absl::StatusOr<Compressed> alone =
        Compress(few, With(configuration, kTargets, {layer.scope}, true));
    if (!alone.ok()) return alone.status();
    const absl::StatusOr<std::vector<Quality>> qualities = Compare(few, alone->model, data);
    if (!qualities.ok()) return qualities.status();
    effects.emplace_back(Least(*qualities), layer.scope);
  }
  std::sort(effects.begin(), effects.end());
  std::vector<std::string> ranked;
  for (const auto& [snr, scope] : effects) ranked.push_back(scope);
  // So many stay exact: too few, enough.
  size_t low = 0, high = ranked.size();
  best = with(ranked);
  if (!best.ok()) return best;
  if (Least(best->qualities) < least_snr)
    return absl::FailedPreconditionError(
        absl::StrFormat("an SNR of %.1f dB is not reached: it is %.1f dB even with all %d "
                        "operations exact that could be",
                        least_snr, Least(best->qualities), ranked.size()));
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    absl::StatusOr<Bounded> tried =
        with({ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(middle)});
    if (!tried.ok()) return tried;
    if (Least(tried->qualities) < least_snr) {
      low = middle;
      continue;
    }
    high = middle;
    best = std::move(tried);
  }
  return best;
}

}  // namespace tessera::tools

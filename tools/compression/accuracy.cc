#include "tools/compression/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera::tools {
namespace {

constexpr char kIgnored[] = "ignored_scopes", kTargets[] = "target_scopes";
constexpr size_t kSamplesToRank = 4;
constexpr int kLevels = 16;

bool Meets(const Bound& bound, double measured) {
  return bound.kind == Bound::Kind::kMostDrop ? measured <= bound.decibels
                                              : measured >= bound.decibels;
}

std::string Said(Bound::Kind kind, double measured) {
  return absl::StrFormat(kind == Bound::Kind::kMostDrop ? "a drop of %.3g dB" : "an SNR of %.1f dB",
                         measured);
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

double LevelOf(const Chosen& chosen, int level) {
  return chosen.section.Number(chosen.algorithm->level) * level / kLevels;
}

// What has a schedule at so many sixteenths of its target.
CompressionConfiguration AtLevel(CompressionConfiguration configuration, int level) {
  for (Chosen& chosen : configuration.algorithms) {
    if (!IsScheduled(chosen)) continue;
    const double part = LevelOf(chosen, level);
    chosen.section.Override(compression::kScheduleKey, {"fixed"});
    chosen.section.Override(chosen.algorithm->level, {absl::StrFormat("%.17g", part)});
  }
  return configuration;
}

// What was compressed, in the order of the network, once however many algorithms report it, with
// the bytes that all of them saved.
std::vector<LeftExact> Candidates(const Compressed& compressed) {
  std::vector<LeftExact> candidates;
  std::map<std::string, size_t> places;
  for (const compression::LayerReport& layer : compressed.controller.Statistics()) {
    if (!layer.reason.empty()) continue;
    const auto [place, added] = places.emplace(layer.scope, candidates.size());
    if (added) candidates.push_back({layer.scope, 0, 0});
    candidates[place->second].bytes += layer.bytes_before - layer.bytes_after;
  }
  return candidates;
}

}  // namespace

double MeasureOf(Bound::Kind kind, const std::vector<Quality>& qualities) {
  const bool drop = kind == Bound::Kind::kMostDrop;
  double worst = 0;
  for (size_t k = 0; k < qualities.size(); ++k) {
    const Quality& quality = qualities[k];
    double measured = quality.snr;
    if (drop) {
      // A single sample says nothing of what varies.
      const double snr = std::isnan(quality.varying) ? quality.snr : quality.varying;
      measured = 10 * std::log1p(std::pow(10, -snr / 10)) / std::log(10);
    }
    worst = k == 0 ? measured : drop ? std::max(worst, measured) : std::min(worst, measured);
  }
  return worst;
}

std::vector<std::string> Bounded::Summary(const Bound& bound) const {
  if (left_exact.empty() && levels.empty())
    return {absl::StrCat(Said(bound.kind, reached), " with all compressed: within the bound, ",
                         bound.ToString())};
  std::vector<std::string> lines;
  for (const std::string& each : levels)
    lines.push_back(absl::StrFormat("%s: %s, at the whole %s", each, Said(bound.kind, reached),
                                    Said(bound.kind, with_all)));
  if (left_exact.empty()) return lines;
  for (const LeftExact& exact : left_exact)
    lines.push_back(absl::StrFormat("`%s` stays exact: %s from it alone; %d bytes", exact.scope,
                                    Said(bound.kind, exact.alone), exact.bytes));
  lines.push_back(absl::StrFormat(
      "%d of %d operations stay exact for %s: %s, with all compressed %s; %d bytes more",
      left_exact.size(), candidates, bound.ToString(), Said(bound.kind, reached),
      Said(bound.kind, with_all),
      static_cast<int64_t>(compressed.model.size()) - static_cast<int64_t>(smallest)));
  return lines;
}

absl::StatusOr<Bounded> CompressWithin(const CompressionRequest& request,
                                       const CompressionConfiguration& configuration,
                                       const Bound& bound, const Judges& judges,
                                       const std::function<void(const std::string&)>& tell) {
  int level = kLevels;
  const auto with = [&](std::vector<LeftExact> exact) -> absl::StatusOr<Bounded> {
    std::vector<std::string> scopes;
    for (const LeftExact& each : exact) scopes.push_back(each.scope);
    absl::StatusOr<Compressed> compressed =
        Compress(request, With(AtLevel(configuration, level), kIgnored, scopes, false));
    if (!compressed.ok()) return compressed.status();
    absl::StatusOr<std::vector<Quality>> qualities = Compare(request, compressed->model, judges);
    if (!qualities.ok()) return qualities.status();
    Bounded made;
    made.reached = MeasureOf(bound.kind, *qualities);
    made.level = level;
    for (const Chosen& chosen : configuration.algorithms) {
      if (IsScheduled(chosen) && level < kLevels)
        made.levels.push_back(absl::StrFormat("`%s`: %s %.3g of %.3g",
                                              std::string(chosen.algorithm->name),
                                              std::string(chosen.algorithm->level),
                                              LevelOf(chosen, level), LevelOf(chosen, kLevels)));
    }
    tell(absl::StrCat(
        level < kLevels ? absl::StrCat(level, " sixteenths of the levels, ") : "",
        scopes.empty() ? "all compressed" : absl::StrCat(scopes.size(), " operations exact"), ": ",
        Said(bound.kind, made.reached), ", ", compressed->model.size(), " bytes"));
    made.compressed = *std::move(compressed);
    made.qualities = *std::move(qualities);
    made.left_exact = std::move(exact);
    return made;
  };
  absl::StatusOr<Bounded> best = with({});
  if (!best.ok()) return best;
  const double with_all = best->reached;
  const size_t smallest = best->compressed.model.size();
  if (Meets(bound, best->reached)) return best;
  if (std::any_of(configuration.algorithms.begin(), configuration.algorithms.end(), IsScheduled)) {
    int too_high = kLevels;
    std::optional<Bounded> met;
    level = 0;
    for (int lowest = -1; lowest + 1 < too_high; level = (lowest + too_high) / 2) {
      absl::StatusOr<Bounded> tried = with({});
      if (!tried.ok()) return tried;
      if (Meets(bound, tried->reached)) {
        lowest = level;
        met = *std::move(tried);
      } else {
        too_high = level;
        if (level == 0) best = std::move(tried);
      }
    }
    if (met) {
      met->with_all = with_all;
      met->smallest = smallest;
      return *std::move(met);
    }
    level = 0;
  }
  CompressionRequest few = request;
  few.statistics = nullptr;  // those are of all samples
  few.samples.most = kSamplesToRank;
  std::vector<LeftExact> ranked = Candidates(best->compressed);
  for (size_t k = 0; k < ranked.size(); ++k) {
    const absl::StatusOr<Compressed> alone =
        Compress(few, With(AtLevel(configuration, level), kTargets, {ranked[k].scope}, true));
    if (!alone.ok()) return alone.status();
    const absl::StatusOr<std::vector<Quality>> qualities = Compare(few, alone->model, judges);
    if (!qualities.ok()) return qualities.status();
    ranked[k].alone = MeasureOf(bound.kind, *qualities);
    tell(absl::StrCat("operation ", k + 1, " of ", ranked.size(), ", `", ranked[k].scope,
                      "` alone: ", Said(bound.kind, ranked[k].alone)));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](const LeftExact& a, const LeftExact& b) {
    return bound.kind == Bound::Kind::kMostDrop ? a.alone > b.alone : a.alone < b.alone;
  });
  // So many stay exact: too few, enough.
  size_t low = 0, high = ranked.size();
  best = with(ranked);
  if (!best.ok()) return best;
  if (!Meets(bound, best->reached))
    return absl::FailedPreconditionError(
        absl::StrCat(bound.ToString(), " is not reached: it is ", Said(bound.kind, best->reached),
                     " even with all ", ranked.size(), " operations exact that could be"));
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    absl::StatusOr<Bounded> tried =
        with({ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(middle)});
    if (!tried.ok()) return tried;
    if (!Meets(bound, tried->reached)) {
      low = middle;
      continue;
    }
    high = middle;
    best = std::move(tried);
  }
  best->candidates = ranked.size();
  best->with_all = with_all;
  best->smallest = smallest;
  return best;
}

}  // namespace tessera::tools

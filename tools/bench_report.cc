#include "tools/bench_report.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tools/cli/table.h"

namespace tessera {
namespace {

std::string Milliseconds(double seconds) { return absl::StrFormat("%.4g ms", seconds * 1e3); }

// A rate in billions, where the count is known.
std::string Rate(int64_t count, double seconds) {
  return count < 0 || seconds <= 0
             ? ""
             : absl::StrFormat("%.3g", static_cast<double>(count) / seconds * 1e-9);
}

nlohmann::ordered_json JsonOfSpread(const Spread& spread) {
  return {{"median", spread.median},
          {"p10", spread.p10},
          {"p90", spread.p90},
          {"min", spread.least},
          {"max", spread.most}};
}

std::vector<std::string> RowOf(const std::string& name, const std::vector<double>& seconds) {
  const Spread spread = SpreadOf(seconds);
  return {name,
          Milliseconds(spread.median),
          Milliseconds(spread.p10),
          Milliseconds(spread.p90),
          Milliseconds(spread.least),
          Milliseconds(spread.most)};
}

}  // namespace

Spread SpreadOf(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const size_t n = seconds.size();
  const auto at = [&](double part) {
    return seconds[static_cast<size_t>(part * static_cast<double>(n - 1) + 0.5)];
  };
  return {(seconds[(n - 1) / 2] + seconds[n / 2]) / 2, at(0.1), at(0.9), seconds.front(),
          seconds.back()};
}

std::string TextOf(const Measured& measured) {
  std::string text =
      absl::StrCat(measured.subject, measured.device.empty() ? "" : " on ", measured.device, "\n");
  for (const std::string& input : measured.inputs) absl::StrAppend(&text, "  ", input, "\n");
  absl::StrAppend(&text, "\n",
                  cli::Table({{"", "median", "p10", "p90", "min", "max"},
                              RowOf("a run", measured.runs),
                              RowOf("its processor time", measured.processor)}));
  absl::StrAppend(&text, "of ", measured.runs.size(), " runs behind ", measured.warm_up,
                  " others, the first of which took ", Milliseconds(measured.first), "\n");
  if (measured.steps.empty()) {
    if (!measured.no_steps.empty()) absl::StrAppend(&text, measured.no_steps, "\n");
    return text;
  }
  double all = 0;
  std::vector<Spread> spreads;
  for (const std::vector<double>& seconds : measured.step_seconds) {
    spreads.push_back(SpreadOf(seconds));
    all += spreads.back().median;
  }
  std::vector<std::vector<std::string>> rows = {
      {"", "computes", "at", "median", "p90", "share", "GFLOP/s", "GB/s"}};
  for (size_t i = 0; i < measured.steps.size(); ++i) {
    const targets::StepTime& step = measured.steps[i];
    const double median = spreads[i].median;
    rows.push_back({absl::StrCat(i), step.name, step.location, Milliseconds(median),
                    Milliseconds(spreads[i].p90),
                    absl::StrFormat("%.1f %%", all > 0 ? 100 * median / all : 0),
                    Rate(step.flops, median), Rate(step.bytes, median)});
  }
  absl::StrAppend(&text, "\n", cli::Table(rows), "steps, each by itself: ", Milliseconds(all),
                  " in all\n");
  return text;
}

std::string JsonOf(const Measured& measured) {
  nlohmann::ordered_json json = {{"subject", measured.subject},
                                 {"device", measured.device},
                                 {"inputs", measured.inputs},
                                 {"unit", "s"},
                                 {"warm_up", measured.warm_up},
                                 {"first", measured.first},
                                 {"run", JsonOfSpread(SpreadOf(measured.runs))},
                                 {"runs", measured.runs},
                                 {"processor", measured.processor}};
  if (!measured.no_steps.empty()) json["no_steps"] = measured.no_steps;
  for (size_t i = 0; i < measured.steps.size(); ++i) {
    const targets::StepTime& step = measured.steps[i];
    nlohmann::ordered_json row = JsonOfSpread(SpreadOf(measured.step_seconds[i]));
    row["computes"] = step.name;
    row["at"] = step.location;
    if (step.flops >= 0) row["flops"] = step.flops;
    if (step.bytes >= 0) row["bytes"] = step.bytes;
    json["steps"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

}  // namespace tessera

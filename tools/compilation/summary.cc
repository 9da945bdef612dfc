#include "tools/compilation/summary.h"

#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/table.h"

namespace tessera::compilation {

std::string Summary(const onnx_import::ImportResult& import,
                    const onnx_import::ImportOptions& options, const targets::Summary& made,
                    const proving::Ledger& ledger, int64_t bytes, const cli::Progress& progress,
                    const passes::Pipeline& pipeline,
                    const std::vector<passes::PassReport>& reports) {
  targets::Rows rows = {{"operator", "count"}};
  rows.insert(rows.end(), made.counts.begin(), made.counts.end());
  std::vector<std::string> times;
  for (const auto& [phase, ms] : progress.times())
    times.push_back(absl::StrFormat("%s %.1f ms", phase, ms));
  std::string text =
      absl::StrCat(cli::Table(rows), "\n", import.node_count, " nodes in, ", made.operators,
                   " operators out, ", bytes, " bytes\n", absl::StrJoin(times, ", "), "\n");
  for (const std::string& line : made.lines) absl::StrAppend(&text, line, "\n");
  absl::StrAppend(&text, cli::AssumptionLines(import, options));
  if (!ledger.entries().empty()) {
    absl::StrAppend(&text, ledger.CountOf(false), " constraints proved for all sizes, ",
                    ledger.CountOf(true), " guarded\n");
  }
  for (const proving::Entry& entry : ledger.entries()) {
    if (!entry.guarded) continue;
    absl::StrAppend(&text, "  guarded: ", entry.obligation.location.ToString(), ": ",
                    entry.obligation.constraint, ": ", entry.obligation.predicate.ToString(), "\n");
  }
  for (const passes::Pass& pass : pipeline) {
    if (pass.numerics != passes::Numerics::kPrecision) continue;
    int64_t rewrites = 0;
    for (const passes::PassReport& report : reports) {
      if (report.name == pass.name) rewrites += report.rewrites;
    }
    if (rewrites > 0) {
      absl::StrAppend(&text, "results may differ: `", pass.name, "` ", pass.doc, ": ", rewrites,
                      rewrites == 1 ? " operation" : " operations", "; `--disable-pass=", pass.name,
                      "` leaves it out\n");
    }
  }
  std::map<std::string, int64_t> requested;
  for (const passes::PassReport& report : reports) {
    for (const auto& [rewrite, count] : report.requested) requested[rewrite] += count;
  }
  for (const ir::RequestedRewrite& rewrite : ir::Registry::Global().RequestedRewrites()) {
    const auto applied = requested.find(std::string(rewrite.name));
    if (applied == requested.end()) continue;
    absl::StrAppend(&text, "on request: `", applied->first, "` ", applied->second,
                    applied->second == 1 ? " time: " : " times: ", std::string(rewrite.doc), "\n");
  }
  int64_t assuming = 0, lowerings = 0;
  for (const passes::PassReport& report : reports) {
    assuming += report.assuming;
    lowerings += report.assuming_lowerings;
  }
  if (assuming > 0) {
    absl::StrAppend(&text,
                    "results may differ where numbers, also on the way, are not finite: ", assuming,
                    assuming == 1 ? " rewrite" : " rewrites",
                    " assumed that they are; `--strict-floats` leaves them out\n");
  }
  if (lowerings > 0) {
    absl::StrAppend(&text, "results may differ where numbers, also on the way, are not finite: ",
                    lowerings, lowerings == 1 ? " operation was" : " operations were",
                    " lowered as if they were; `--strict-floats` takes no such form\n");
  }
  return text;
}

}  // namespace tessera::compilation

// Runs a pipeline: verifies the graph between any two passes, holds each pass to what it says of
// itself, and shows what happened.
#ifndef TESSERA_PASSES_RUNNER_H_
#define TESSERA_PASSES_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "passes/reproducer.h"

namespace tessera::passes {

struct RunOptions {
  std::set<std::string> print_before, print_after;  // pass names; `*` is every pass
  bool print_on_change = false;
  bool print_on_failure = true;
  std::set<std::string> disabled;  // passes that the configuration turns off
  int64_t bisect_limit = -1;       // stop after so many rewrites; -1: no limit
  bool trace_matches = false;
  bool strict_floats = false;  // nothing assumes that all numbers are finite
  // Rewrites by name: asked for (ir::Registry::RequestedRewrites), and left out.
  std::set<std::string, std::less<>> requested, without;
  uint64_t shuffle_seed = 0;
  // By how many bytes folding may make the constants more; -1: kFoldingGrowth, or four times what
  // the graph's constants take, if that is more.
  int64_t folding_growth = -1;
  // Where `print_*` go; stderr if not set.
  std::function<void(const std::string&)> print;
  // Called before and after each pass: dumps, progress.
  std::function<void(const Pass&, const ir::Graph&)> before, after;
  ReproducerOptions reproducers;
};

struct PassReport {
  std::string name;
  Effects effects;
  double milliseconds = 0;
  bool changed = false;
  int64_t rewrites = 0;
  // Rewrites, and lowerings, that assume that all numbers are finite.
  int64_t assuming = 0, assuming_lowerings = 0;
  size_t operations = 0;  // after it
  // How often rewrites applied that apply only on request.
  std::map<std::string, int64_t> requested = {};
  // The names of the invariants that were checked after it, and of those that no longer hold.
  std::vector<std::string> checked = {}, broken = {};
};

// The reports of the passes that ran, also when one of them failed. The error names the pass, and
// the reproducer that was written for it; `failed_at` is its index in the pipeline. Internal: the
// pass has a bug, left an invalid graph or one without an invariant that it keeps or establishes,
// wrote a part that it does not say it writes, or is wrong about whether it changed it.
// FailedPrecondition: it needs what a pass establishes that is switched off.
absl::Status Run(ir::Graph& graph, const Pipeline& pipeline, const RunOptions& options,
                 std::vector<PassReport>& reports, size_t* failed_at = nullptr);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_RUNNER_H_

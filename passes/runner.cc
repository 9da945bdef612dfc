#include "passes/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "ir/dtype.h"
#include "ir/text.h"
#include "support/memory_limit.h"

namespace tessera::passes {
namespace {

bool Wanted(const std::set<std::string>& names, const std::string& name) {
  return names.count("*") != 0 || names.count(name) != 0;
}

absl::Status InPass(const Pass& pass, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("pass `", pass.name, "`: ", status.message()));
}

// Whatever is wrong with the graph after a pass is the pass's fault, not the input's.
absl::Status LeftValid(const ir::Graph& graph) {
  const absl::Status status = ir::Verify(graph);
  if (status.ok()) return status;
  return absl::InternalError(absl::StrCat("left an invalid graph: ", status.message()));
}

// Passes build from what holds already: where that is not legal they are at fault. What is wrong
// with the network itself they say by another code.
absl::Status Blamed(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? absl::InternalError(status.message()) : status;
}

int64_t FoldingGrowth(const ir::Graph& graph) {
  int64_t bytes = 0;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->results().size() != 1 || op->result(0)->constant() == nullptr) continue;
    bytes += static_cast<int64_t>(op->result(0)->constant()->byte_size());
  }
  return std::max(kFoldingGrowth, 4 * bytes);
}

// At the least sizes. Of an axis that may have no entries there may be none at all.
bool IsCountable(const ir::TensorType& type) {
  constexpr absl::uint128 kMost = std::numeric_limits<int64_t>::max();
  absl::uint128 bytes = ir::SizeOf(type.dtype);
  bool countable = true;
  for (const ir::Expr& dim : type.dims) {
    const int64_t least = solver::RangeOf(dim).lo;
    if (least <= 0) return true;
    // Both are below 2^63 each time, so that their product is one of 128 bits.
    if (countable) bytes *= static_cast<uint64_t>(least);
    countable = countable && bytes <= kMost;
  }
  return countable;
}

// Unimplemented: tensors whose bytes leave 64 bits whatever the sizes of the inputs are, with the
// operations that make them. No target stores them, and none need ask.
absl::Status AllIsCountable(const ir::Graph& graph) {
  std::vector<std::string> lines;
  for (const ir::Value* input : graph.inputs()) {
    if (!IsCountable(input->type()))
      lines.push_back(absl::StrCat("input `", input->name(), "`: ", input->type().ToString()));
  }
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) {
      if (!IsCountable(result->type()))
        lines.push_back(absl::StrCat("`", std::string(op->info().name), "` at `",
                                     op->location().ToString(), "`: ", result->type().ToString()));
    }
  }
  if (lines.empty()) return absl::OkStatus();
  std::string text = absl::StrCat(lines.size(), " tensor(s) of more bytes than 64 bits count:");
  constexpr size_t kMostLines = 20;
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    absl::StrAppend(&text, "\n  ", lines[i]);
  if (lines.size() > kMostLines)
    absl::StrAppend(&text, "\n  and ", lines.size() - kMostLines, " more");
  return absl::UnimplementedError(text);
}

// The invariants that hold, in the order in which they were established.
class Holding {
 public:
  // Error: one that `pass` needs does not hold, for which a pass is at fault, or who switched it
  // off.
  absl::Status Admit(const Pass& pass, const ir::Graph& graph, const Pipeline& pipeline, size_t at,
                     const std::set<std::string>& disabled) {
    for (const Invariant* need : pass.needs) {
      if (Holds(need)) continue;
      // The rest of a pipeline goes on from a graph of which much holds.
      const absl::Status status = need->check(graph);
      if (status.ok()) {
        holding_.push_back(need);
        continue;
      }
      for (size_t i = 0; i < at; ++i) {
        const std::vector<const Invariant*>& made = pipeline[i].establishes;
        if (disabled.count(pipeline[i].name) == 0 ||
            std::find(made.begin(), made.end(), need) == made.end())
          continue;
        return absl::FailedPreconditionError(absl::StrCat("needs `", need->name, "` (", need->doc,
                                                          "), which `", pipeline[i].name,
                                                          "` sees to, and that pass is off"));
      }
      return absl::InternalError(
          absl::StrCat("needs `", need->name, "` (", need->doc, "): ", status.message()));
    }
    return absl::OkStatus();
  }

  // Error: `pass` left the graph without one that it says holds.
  absl::Status After(const Pass& pass, const ir::Graph& graph, bool changed, PassReport& report) {
    for (const Invariant* broken : pass.breaks) {
      if (Holds(broken)) report.broken.push_back(broken->name);
      holding_.erase(std::remove(holding_.begin(), holding_.end(), broken), holding_.end());
    }
    for (const Invariant* made : pass.establishes) {
      if (!Holds(made)) holding_.push_back(made);
    }
    // What held of this very graph still does.
    for (const Invariant* one : changed ? holding_ : pass.establishes) {
      if (absl::Status status = one->check(graph); !status.ok())
        return absl::InternalError(absl::StrCat("left the graph without `", one->name, "` (",
                                                one->doc, "): ", status.message()));
      report.checked.push_back(one->name);
    }
    return absl::OkStatus();
  }

 private:
  bool Holds(const Invariant* one) const {
    return std::find(holding_.begin(), holding_.end(), one) != holding_.end();
  }

  std::vector<const Invariant*> holding_;
};

}  // namespace

absl::Status Run(ir::Graph& graph, const Pipeline& pipeline, const RunOptions& options,
                 std::vector<PassReport>& reports, size_t* failed_at) {
  PassContext context;
  context.strict_floats = options.strict_floats;
  context.requested = options.requested;
  context.without = options.without;
  if (options.bisect_limit >= 0) context.rewrites_left = options.bisect_limit;
  context.trace_matches = options.trace_matches;
  context.shuffle_seed = options.shuffle_seed;
  context.folding_growth_left =
      options.folding_growth >= 0 ? options.folding_growth : FoldingGrowth(graph);
  const auto print = [&](const char* when, const Pass& pass) {
    const std::string text = absl::StrCat("// IR ", when, " `", pass.name, "`\n", ir::Print(graph));
    if (options.print) {
      options.print(text);
    } else {
      std::cerr << text;
    }
  };
  uint64_t state = graph.State();
  ReproducerRecorder recorder(options.reproducers, pipeline, options.disabled);
  Holding holding;
  bool changed = true, lowering = false, verified = false;
  // Of the graph as it stands, by what a pass may write.
  std::map<Parts, Unwritten> unwritten;
  // By name, the graph that a pass left as it found it: there is nothing for it to do there.
  std::map<std::string, uint64_t> settled;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const Pass& pass = pipeline[i];
    if (options.disabled.count(pass.name) != 0) continue;
    if (!lowering && pass.phase > Phase::kCanonicalize) {
      lowering = true;
      // What nobody needs is gone by now, and what lowerings compute of sizes is still to come.
      if (absl::Status status = AllIsCountable(graph); !status.ok()) return status;
    }
    if (absl::Status status = holding.Admit(pass, graph, pipeline, i, options.disabled);
        !status.ok())
      return InPass(pass, status);
    if (Wanted(options.print_before, pass.name)) print("before", pass);
    if (absl::Status status = recorder.Before(i, graph, context, changed); !status.ok())
      return InPass(pass, status);
    if (options.before) options.before(pass, graph);
    const Unwritten* const same = unwritten.empty() ? nullptr : &unwritten.begin()->second;
    const Unwritten& kept =
        unwritten.try_emplace(pass.effects.writes, graph, pass.effects.writes, same).first->second;
    const auto start = std::chrono::steady_clock::now();
    const support::Doing doing("pass", pass.name);
    const auto known = settled.find(pass.name);
    absl::StatusOr<PassResult> result =
        known != settled.end() && known->second == state ? PassResult{} : pass.run(graph, context);
    const uint64_t now = graph.State();
    absl::Status status = Blamed(result.status());
    // A graph that is the same still is what was found.
    if (result.ok() && (!verified || now != state)) status = LeftValid(graph);
    verified = true;
    if (status.ok() && !result->unsure && result->changed != (now != state)) {
      status = absl::InternalError(result->changed
                                       ? "said that it changed the graph, and the graph is the same"
                                       : "changed the graph and did not say so");
    }
    changed = now != state;
    if (!changed) settled[pass.name] = state;
    PassReport report;
    report.name = pass.name;
    report.effects = pass.effects;
    report.operations = graph.operation_count();
    if (status.ok() && changed) status = kept.Check(graph);
    if (status.ok()) status = holding.After(pass, graph, changed, report);
    state = now;
    if (changed) unwritten.clear();
    report.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (result.ok()) {
      report.changed = changed;
      report.rewrites = result->rewrites;
      report.assuming = result->assuming;
      report.requested = result->requested;
      report.assuming_lowerings = std::exchange(context.assuming, 0);
    }
    reports.push_back(report);
    if (!status.ok()) {
      if (failed_at != nullptr) *failed_at = i;
      if (options.print_on_failure && !result.ok() &&
          (absl::IsInternal(status) || options.print_on_change))
        print("at the failure of", pass);
      return recorder.Failed(InPass(pass, status));
    }
    if (Wanted(options.print_after, pass.name) || (options.print_on_change && report.changed))
      print("after", pass);
    if (options.after) options.after(pass, graph);
  }
  return absl::OkStatus();
}

}  // namespace tessera::passes

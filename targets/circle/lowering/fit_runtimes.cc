#include "targets/circle/lowering/fit_runtimes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/fold.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::Operation;

// What takes an operator's place may need others to take its own: FLOOR_MOD in a mirrored border.
constexpr int kMostRounds = 8;

bool HasClause(const Operation& op) {
  return std::any_of(op.info().lowerings.begin(), op.info().lowerings.end(),
                     [](const ir::LoweringInfo& lowering) { return lowering.target == kDialect; });
}

}  // namespace

absl::StatusOr<passes::PassResult> FitRuntimes(ir::Graph& graph, passes::PassContext& context,
                                               const Places& places) {
  passes::PassResult result;
  std::set<int> kept;  // by id: no clause has a form that fits
  for (int round = 0; round < kMostRounds; ++round) {
    int64_t applied = 0;
    const auto applies = [&](const Operation& op) {
      const bool does = HasClause(op) && kept.count(op.id()) == 0 && !places.WhyNot(op).empty();
      applied += does ? 1 : 0;
      return does;
    };
    // The graph must fit: not counted where rewrites are.
    passes::PassContext whole;
    whole.folding_growth_left = context.folding_growth_left;
    whole.strict_floats = context.strict_floats;
    std::vector<Refusal> refusals;
    const absl::Status status =
        passes::LowerOnce(graph, kDialect, applies, whole, refusals, &places);
    if (!status.ok()) return status;
    for (const Refusal& refusal : refusals) kept.insert(refusal.id);
    applied -= static_cast<int64_t>(refusals.size());
    if (applied == 0) break;
    if (auto folded = passes::FoldConstants(graph, whole); !folded.ok()) return folded.status();
    context.folding_growth_left = whole.folding_growth_left;
    context.assuming += whole.assuming;
    result.rewrites += applied;
  }
  result.changed = result.rewrites > 0;
  return result;
}

absl::Status CheckRuntimes(ir::Graph& graph, passes::PassContext& context, const Places& places) {
  if (!places.strict()) return absl::OkStatus();
  std::vector<Refusal> refusals;
  for (const Operation* op : graph.TopologicalOrder()) {
    const std::string reason = places.WhyNot(*op);
    if (!reason.empty())
      refusals.push_back(
          {std::string(op->info().name), op->location().ToString(), reason, op->id()});
  }
  if (refusals.empty()) return absl::OkStatus();
  // A clause may say what is to be declared for its form to hold. None had one before.
  const auto has_no_form = [&](const Operation& op) {
    return HasClause(op) && !places.WhyNot(op).empty();
  };
  std::vector<Refusal> clauses;
  const absl::Status status =
      passes::LowerOnce(graph, kDialect, has_no_form, context, clauses, &places);
  if (!status.ok()) return status;
  std::map<int, std::string> otherwise;
  for (const Refusal& clause : clauses) otherwise[clause.id] = clause.reason;
  for (Refusal& refusal : refusals) {
    if (const auto why = otherwise.find(refusal.id); why != otherwise.end())
      absl::StrAppend(&refusal.reason, "; nor otherwise: ", why->second);
  }
  return passes::ErrorOf(refusals, places.name());
}

}  // namespace tessera::circle

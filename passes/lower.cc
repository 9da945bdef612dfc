#include "passes/lower.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/draft.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/fold.h"
#include "passes/replace_results.h"
#include "solver/remedy.h"
#include "support/memory_limit.h"

namespace tessera::passes {
namespace {

using ir::Operation;
using ir::Value;

// Lowerings stated in operations whose lowerings are, and so on.
constexpr int kMostRounds = 4;

const ir::LoweringInfo* LoweringOf(const ir::OpInfo& info, std::string_view target) {
  for (const ir::LoweringInfo& lowering : info.lowerings) {
    if (lowering.target == target) return &lowering;
  }
  return nullptr;
}

// A tensor keeps its name where its lowering has none of its own.
void PassNames(const Operation& op, const std::vector<Value*>& values, ir::Rewriter& rewriter) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]->name().empty()) rewriter.SetName(values[i], op.results()[i]->name());
  }
}

void Refuse(const Operation& op, std::string reason, std::vector<Refusal>& refusals) {
  refusals.push_back(
      {std::string(op.info().name), op.location().ToString(), std::move(reason), op.id()});
}

// Targets take some dtypes and ranks only, some numbers that may be symbolic here, sizes that the
// user may not have ruled out, and count as far as their integers go. Any other failure to build is
// the lowering's.
bool IsRefusal(const absl::Status& status) {
  const std::string constraint = ir::ConstraintOf(status);
  return absl::IsUnimplemented(status) || absl::IsOutOfRange(status) ||
         absl::StartsWith(constraint, "type.") || absl::StartsWith(constraint, "rank.") ||
         !solver::Attached(status).empty();
}

// What of an operator of the target a type or rank does not fit, without the operation that is not
// built: `target.OP` at `PLACE`: constraint `ID`: WHY.
std::string ReasonOf(const absl::Status& status) {
  const std::string message(status.message());
  if (absl::IsOutOfRange(status))
    return absl::StrCat("sizes beyond what its form counts to: ",
                        message.substr(0, message.find('\n')));
  const std::string constraint = ir::ConstraintOf(status);
  const std::string told = absl::StrCat("constraint `", constraint, "`: ");
  const size_t why = message.find(told);
  const size_t begin = message.find('`');
  const size_t end = message.find('`', begin + 1);
  if (constraint.empty() || why == std::string::npos || end == std::string::npos || end > why)
    return message;
  const size_t from = why + told.size();
  return absl::StrCat("it has no form for this ",
                      absl::StartsWith(constraint, "rank.")   ? "rank: "
                      : absl::StartsWith(constraint, "type.") ? "element type: "
                                                              : "size: ",
                      message.substr(begin, end + 1 - begin), ": ",
                      message.substr(from, message.find('\n', from) - from));
}

using Places = std::set<std::pair<std::string, std::string>>;  // of operations, by name

// A form that is stated in the same operation on constants, as a table of weights is, counts on
// these being computed, however large: its clause says how large they may be. `lowered`: what was
// lowered in earlier rounds, to which those of this one are added.
absl::Status FoldOwnForms(ir::Graph& graph, const std::function<bool(const Operation&)>& applies,
                          PassContext& context, Places& lowered) {
  ir::Rewriter rewriter(graph);
  Places here;
  for (Operation* op : graph.TopologicalOrder()) {
    if (!applies(*op)) continue;
    std::pair<std::string, std::string> place(op->info().name, op->location().ToString());
    if (lowered.contains(place)) {
      absl::StatusOr<std::vector<Value*>> folded =
          FoldOperation(*op, rewriter, context, FoldedSize::kAny);
      if (!folded.ok()) return folded.status();
      if (folded->empty()) continue;
      if (absl::Status status = ReplaceResults(rewriter, *op, *folded); !status.ok()) return status;
    } else {
      here.insert(std::move(place));
    }
  }
  lowered.merge(here);
  return absl::OkStatus();
}

// Why an operation still has no form after all rounds.
std::string WhyNotLowered(const Operation& op) {
  const bool known = std::all_of(op.operands().begin(), op.operands().end(), [](const Value* x) {
    return x == nullptr || x->constant() != nullptr;
  });
  return known ? "the constants that its form is made of would be larger than folding may make "
                 "them (`--max-folding`)"
               : "its operands are known only at run time";
}

}  // namespace

absl::Status ErrorOf(const std::vector<Refusal>& refusals, std::string_view where) {
  if (refusals.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  for (const Refusal& refusal : refusals) {
    std::string line =
        absl::StrCat("\n  `", refusal.op, "` at `", refusal.scope, "`: ", refusal.reason);
    // Several of one node are refused together.
    if (lines.empty() || lines.back() != line) lines.push_back(std::move(line));
  }
  return absl::UnimplementedError(absl::StrCat(lines.size(), " operation(s) without a form in ",
                                               std::string(where), ":", absl::StrJoin(lines, "")));
}

absl::Status LowerOnce(ir::Graph& graph, std::string_view target,
                       const std::function<bool(const Operation&)>& applies, PassContext& context,
                       std::vector<Refusal>& refusals, const ir::Capabilities* capabilities) {
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  builder.SetCapabilities(capabilities);
  builder.SetStrictFloats(context.strict_floats);
  for (Operation* op : graph.TopologicalOrder()) {
    if (!applies(*op)) continue;
    const std::string at = op->location().ToString();
    const support::Doing doing("operation", op->info().name), there("node", at);
    absl::StatusOr<std::vector<Value*>> folded = FoldOperation(*op, rewriter, context);
    if (!folded.ok()) return folded.status();
    std::vector<Value*> values = *std::move(folded);
    if (values.empty()) {
      const ir::LoweringInfo* lowering = LoweringOf(op->info(), target);
      if (lowering == nullptr) {
        Refuse(*op, "its definition does not say how it is lowered", refusals);
        continue;
      }
      builder.Reset();
      rewriter.SetInsertionPoint(op);
      rewriter.SetLocation(op->location());
      values = lowering->apply(*op, builder);
      if (!builder.ok() && !IsRefusal(builder.status())) {
        return absl::InternalError(absl::StrCat("the lowering of `", std::string(op->info().name),
                                                "` at `", op->location().ToString(),
                                                "`: ", builder.status().message()));
      }
      if (!builder.ok()) {
        Refuse(*op, ReasonOf(builder.status()), refusals);
        continue;
      }
      if (!builder.refusal().empty()) {
        Refuse(*op, builder.refusal(), refusals);
        continue;
      }
      context.assuming += builder.assumed_finite() ? 1 : 0;
    }
    if (values.size() != op->results().size()) {
      return absl::InternalError(absl::StrCat("the lowering of `", std::string(op->info().name),
                                              "` yields ", values.size(), " values for ",
                                              op->results().size(), " results"));
    }
    PassNames(*op, values, rewriter);
    if (absl::Status status = ReplaceResults(rewriter, *op, values); !status.ok()) {
      return status;
    }
  }
  rewriter.EraseUnused();
  return absl::OkStatus();
}

absl::Status Lower(ir::Graph& graph, std::string_view target,
                   const std::function<bool(const Operation&)>& applies, PassContext& context,
                   std::vector<Refusal>& refusals, const ir::Capabilities* capabilities) {
  // Not all of it is done where rewrites are counted: the graph must become legal.
  PassContext whole;
  whole.folding_growth_left = context.folding_growth_left;
  whole.strict_floats = context.strict_floats;
  Places lowered;
  for (int round = 0; round < kMostRounds; ++round) {
    absl::Status status = FoldOwnForms(graph, applies, whole, lowered);
    if (!status.ok()) return status;
    status = LowerOnce(graph, target, applies, whole, refusals, capabilities);
    if (!status.ok()) return status;
    if (auto folded = FoldConstants(graph, whole); !folded.ok()) return folded.status();
    context.folding_growth_left = whole.folding_growth_left;
    context.assuming += std::exchange(whole.assuming, 0);
    if (!refusals.empty()) return absl::OkStatus();
    const std::vector<Operation*> ops = graph.TopologicalOrder();
    if (std::none_of(ops.begin(), ops.end(), [&](const Operation* op) { return applies(*op); }))
      return absl::OkStatus();
  }
  for (Operation* op : graph.TopologicalOrder()) {
    if (applies(*op)) Refuse(*op, WhyNotLowered(*op), refusals);
  }
  return absl::OkStatus();
}

}  // namespace tessera::passes

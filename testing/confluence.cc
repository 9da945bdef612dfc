#include "testing/confluence.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "ir/text.h"
#include "passes/canonicalize.h"
#include "passes/common_subexpressions.h"
#include "passes/dead_code.h"
#include "passes/fold.h"
#include "passes/replace_results.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"
#include "testing/pattern_builder.h"

namespace tessera::testing {
namespace {

constexpr double kTolerance = 1e-4;  // products of constants are rounded in another order
constexpr int kMostRounds = 8;

struct Left {
  std::unique_ptr<ir::Graph> graph;
  std::vector<ir::Tensor> inputs;
};

struct Step {
  size_t operation;  // place in the topological order
  const ir::RewriteInfo* rewrite;
  std::string op;
};

// What a graph computes, operation by operation in the order in which its outputs reach them.
class Writer {
 public:
  std::string Run(const ir::Graph& graph) {
    std::string outputs;
    for (const ir::Value* output : graph.outputs())
      absl::StrAppend(&outputs, "  output ", NameOf(output), "\n");
    return text_ + outputs;
  }

 private:
  std::string NameOf(const ir::Value* value) {
    if (value == nullptr) return "_";
    const std::string type = value->type().ToString();
    if (value->constant() != nullptr) return absl::StrCat("constant ", type);
    const ir::Operation* op = value->producer();
    if (op == nullptr) return absl::StrCat(std::string(value->name()), " : ", type);
    auto found = numbers_.find(op);
    if (found == numbers_.end()) {
      std::string line = absl::StrCat(std::string(op->info().name), "(");
      for (size_t i = 0; i < op->operands().size(); ++i)
        absl::StrAppend(&line, i == 0 ? "" : ", ", NameOf(op->operands()[i]));
      line += ")";
      for (size_t i = 0; i < op->attrs().size(); ++i)
        absl::StrAppend(&line, " ", std::string(op->info().attrs[i].name), "=",
                        ir::ToString(op->attr(i), op->info().attrs[i]));
      found = numbers_.emplace(op, numbers_.size()).first;
      absl::StrAppend(&text_, "  %", found->second, " = ", line, "\n");
    }
    return absl::StrCat("%", found->second, ".", value->result_index(), " : ", type);
  }

  std::map<const ir::Operation*, size_t> numbers_;
  std::string text_;
};

absl::Status Simplify(ir::Graph& graph, const std::string& dialect) {
  passes::PassContext context;
  for (int round = 0; round < kMostRounds; ++round) {
    const uint64_t before = graph.Fingerprint();
    for (const auto& pass : {passes::MergeCommonSubexpressions, passes::RemoveDeadCode}) {
      if (const auto result = pass(graph, context); !result.ok()) return result.status();
    }
    if (const auto result = passes::Canonicalize(graph, dialect, context); !result.ok())
      return result.status();
    if (graph.Fingerprint() == before) return absl::OkStatus();
  }
  return absl::InternalError("rewrites do not end");
}

class Checker {
 public:
  Checker(const ops::RewriteExample& example, const std::string& dialect)
      : example_(example), dialect_(dialect) {}

  Confluence Run() {
    std::set<std::string> seen;
    for (mask_ = 0; mask_ >> leaves_ == 0 && result_.failure.empty(); ++mask_) {
      const std::optional<Left> left = Build();
      if (!left.has_value() || !seen.insert(ir::Print(*left->graph)).second) continue;
      std::vector<Step> steps = StepsIn(*left->graph);
      if (steps.size() < 2) continue;
      ++result_.graphs;
      Compare(steps, ir::Print(*left->graph));
    }
    return result_;
  }

 private:
  struct End {
    std::string text;
    std::vector<ir::Tensor> values;
  };

  // Nothing where the example does not say this choice.
  std::optional<Left> Build() {
    Left left{std::make_unique<ir::Graph>(), {}};
    ir::Rewriter rewriter(*left.graph);
    rewriter.SetLocation(ir::Location::Of(example_.rewrite));
    PatternBuilder pattern(example_, rewriter);
    pattern.set_mask(mask_);
    pattern.Build(example_.pattern);
    leaves_ = std::max(leaves_, pattern.leaves());
    if (!pattern.status().ok() || pattern.last() == nullptr) return std::nullopt;
    size_t count = 0;
    for (ir::Value* result : pattern.last()->results()) {
      if (!rewriter.AddOutput(absl::StrCat("out", count++), result).ok()) return std::nullopt;
    }
    left.inputs = pattern.inputs();
    passes::PassContext context;
    if (!passes::FoldConstants(*left.graph, context).ok() ||
        !passes::MergeCommonSubexpressions(*left.graph, context).ok())
      return std::nullopt;
    return left;
  }

  // The values that replace the results; empty where the rewrite does not apply.
  static absl::StatusOr<std::vector<ir::Value*>> Apply(const Step& step, ir::Rewriter& rewriter,
                                                       ir::Operation& op) {
    rewriter.SetInsertionPoint(&op);
    rewriter.SetLocation(op.location());
    ir::TermBuilder builder(rewriter);
    std::vector<ir::Value*> values = step.rewrite->apply(op, builder);
    if (!builder.ok()) return builder.status();
    return values;
  }

  // The late ones do not compete with others.
  std::vector<Step> StepsIn(const ir::Graph& graph) {
    std::vector<Step> steps = StepsIn(graph, false);
    return steps.empty() ? StepsIn(graph, true) : steps;
  }

  std::vector<Step> StepsIn(const ir::Graph& graph, bool late) {
    std::vector<Step> steps;
    const ir::Registry& registry = ir::Registry::Global();
    const std::vector<ir::Operation*> order = graph.TopologicalOrder();
    for (size_t at = 0; at < order.size(); ++at) {
      if (order[at]->info().dialect != dialect_) continue;
      const std::string op(order[at]->info().name);
      for (const ir::RewriteInfo* rewrite :
           late ? registry.LateRewritesAt(op) : registry.RewritesAt(op)) {
        const Step step{at, rewrite, op};
        const std::optional<Left> fresh = Build();
        ir::Rewriter rewriter(*fresh->graph);
        const auto values = Apply(step, rewriter, *fresh->graph->TopologicalOrder()[at]);
        if (!values.ok() || !values->empty()) steps.push_back(step);
      }
    }
    return steps;
  }

  absl::StatusOr<End> EndOf(const Step& step) {
    const std::optional<Left> left = Build();
    ir::Rewriter rewriter(*left->graph);
    ir::Operation& op = *left->graph->TopologicalOrder()[step.operation];
    const auto values = Apply(step, rewriter, op);
    if (!values.ok()) return values.status();
    if (absl::Status status = passes::ReplaceResults(rewriter, op, *values); !status.ok())
      return status;
    if (absl::Status status = Simplify(*left->graph, dialect_); !status.ok()) return status;
    const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*left->graph);
    if (!executor.ok()) return executor.status();
    absl::StatusOr<std::vector<ir::Tensor>> results = executor->Run(left->inputs);
    if (!results.ok()) return results.status();
    return End{Writer().Run(*left->graph), *std::move(results)};
  }

  static std::string Differ(const End& a, const End& b) {
    if (a.text != b.text) return "end in different graphs";
    for (size_t i = 0; i < a.values.size(); ++i) {
      const std::string difference = Difference(b.values[i], a.values[i], kTolerance);
      if (!difference.empty()) return absl::StrCat("compute different values: ", difference);
    }
    return "";
  }

  void Compare(const std::vector<Step>& steps, const std::string& graph) {
    std::vector<End> ends;
    for (const Step& step : steps) {
      const std::string name(step.rewrite->name);
      absl::StatusOr<End> end = EndOf(step);
      if (!end.ok()) {
        result_.failure =
            absl::StrCat("`", name, "` at `", step.op, "`: ", end.status().ToString(), "\n", graph);
        return;
      }
      for (size_t i = 0; i < ends.size(); ++i) {
        const std::string other(steps[i].rewrite->name);
        result_.pairs.insert(std::minmax(name, other));
        const std::string difference = Differ(ends[i], *end);
        if (difference.empty()) continue;
        absl::StrAppend(&result_.failure, "`", other, "` at `", steps[i].op, "` and `", name,
                        "` at `", step.op, "` ", difference, ", from\n", graph, "by `", other,
                        "`\n", ends[i].text, "by `", name, "`\n", end->text);
        return;
      }
      ends.push_back(*std::move(end));
    }
  }

  const ops::RewriteExample& example_;
  const std::string& dialect_;
  int mask_ = 0;
  int leaves_ = 0;  // of the pattern, up to 8
  Confluence result_;
};

}  // namespace

Confluence CheckConfluence(const ops::RewriteExample& example, const std::string& dialect) {
  return Checker(example, dialect).Run();
}

}  // namespace tessera::testing

#include "tools/proving/discharge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/rewriter.h"
#include "solver/assignment.h"
#include "solver/data_sizes.h"
#include "solver/remedy.h"
#include "tools/proving/positions.h"

namespace tessera::proving {
namespace {

constexpr char kImport[] = "import";  // the stage

using solver::Expr;
using solver::Verdict;

// What is wrong with an obligation that is not proved, and `remedies`, of which each helps.
std::string Complaint(const ir::Obligation& obligation, const Verdict& verdict,
                      const std::vector<solver::Remedy>& remedies) {
  std::string text = absl::StrCat("constraint `", obligation.constraint, "`: ", obligation.message,
                                  obligation.message.empty() ? "" : " ");
  if (verdict.kind == Verdict::kRefuted) {
    absl::StrAppend(&text, "(`", obligation.predicate.ToString(), "` is false for ",
                    solver::ToText(verdict.counterexample));
    if (!remedies.empty()) absl::StrAppend(&text, "; true with ", solver::ToText(remedies));
    return text + ")";
  }
  if (verdict.by == "contradictory-facts") {
    return absl::StrCat(text,
                        "(no sizes satisfy what is declared of them: a proof would be empty)");
  }
  if (verdict.by == "no-witness") {
    return absl::StrCat(text,
                        "(no sizes were found that satisfy what is declared of them: a proof could "
                        "be empty)");
  }
  return absl::StrCat(text, "(`", verdict.residual.ToString(),
                      "` is neither proved nor refuted for all sizes; `--dim` can narrow them, "
                      "`--guards` has the artifact check it)");
}

ir::Obligation PositiveDivisor(const Expr& divisor) {
  ir::Obligation obligation;
  obligation.op = "divisor";
  obligation.constraint = "positive.divisor";
  obligation.message = absl::StrCat("`", divisor.ToString(), "` divides");
  obligation.predicate = solver::Derived(solver::Ge(solver::Derived(divisor), 1));
  return obligation;
}

// What the network owes stays, whatever rewrites put in the place of an operation: it is the
// network that must not run where it does not hold.
void Keep(const ir::Graph& graph, ir::Rewriter& rewriter) {
  const std::vector<ir::Obligation> all = graph.obligations();
  absl::flat_hash_set<std::string> kept;
  const auto text = [](const ir::Obligation& o) {
    return absl::StrCat(o.op, " ", o.constraint, " ", o.predicate.ToString(), " ",
                        o.location.ToString());
  };
  rewriter.FilterObligations(
      [&](const ir::Obligation& o) { return o.owner < 0 && kept.insert(text(o)).second; });
  for (const ir::Obligation& open : all) {
    if (open.owner >= 0 && kept.insert(text(open)).second)
      rewriter.AddObligation(open, open.op, nullptr);
  }
}

}  // namespace

absl::Status Ledger::Discharge(ir::Graph& graph, solver::Prover& prover, const std::string& stage,
                               bool guards, const std::string& file) {
  solver::Context& context = graph.context();
  if (stage == kImport) {
    if (absl::Status status = RequirePositions(graph, file, data_indices_); !status.ok())
      return status;
  }
  ir::Rewriter rewriter(graph);
  std::vector<std::string> problems;
  solver::Remedy remedy;  // of the first problem that has one
  std::string mended;     // the constraint
  const auto judge = [&](const ir::Obligation& obligation, const Verdict& verdict) {
    if (verdict.kind == Verdict::kUnknown && verdict.by == "undecided" && guards) return;
    std::vector<solver::Remedy> remedies;
    if (verdict.kind == Verdict::kRefuted) {
      // Sizes cannot say it, so that whoever executes the network sees whether its data do.
      if (solver::HoldsForSomeData(context, obligation.predicate)) return;
      remedies = solver::FindRemedies(context, obligation.predicate, verdict.counterexample);
    }
    if (remedy.empty() && !remedies.empty()) {
      remedy = remedies.front();
      mended = obligation.constraint;
    }
    const std::string where = obligation.location.ToString();
    problems.push_back(absl::StrCat(file, ": ", where.empty() ? "" : where + ": ", "`",
                                    obligation.op,
                                    "`: ", Complaint(obligation, verdict, remedies)));
  };

  const std::vector<Expr> divisors = context.unproved_divisors();
  for (size_t i = divisors_proved_; i < divisors.size(); ++i) {
    ir::Obligation obligation = PositiveDivisor(divisors[i]);
    const Verdict verdict = prover.Prove(context, obligation.predicate);
    if (verdict.kind == Verdict::kProved) {
      obligation.message.clear();
      obligation.by = verdict.by;
      rewriter.AddProved(obligation, "divisor", {});
    } else {
      judge(obligation, verdict);
      if (problems.empty()) rewriter.AddObligation(obligation, "divisor", nullptr);
    }
  }
  divisors_proved_ = divisors.size();

  // Equal statements are decided once.
  absl::flat_hash_map<Expr, Verdict> verdicts;
  absl::flat_hash_set<Expr> proved;
  for (const ir::Obligation& open : graph.obligations()) {
    const auto [it, fresh] = verdicts.try_emplace(open.predicate);
    if (fresh) it->second = prover.Prove(context, open.predicate);
    if (it->second.kind != Verdict::kProved) {
      judge(open, it->second);
      continue;
    }
    ir::Obligation closed;
    closed.constraint = open.constraint;
    closed.predicate = open.predicate;
    closed.by = it->second.by;
    rewriter.AddProved(std::move(closed), open.op, open.location);
    proved.insert(open.predicate);
  }
  rewriter.FilterObligations(
      [&](const ir::Obligation& o) { return !proved.contains(o.predicate); });
  if (stage == kImport) Keep(graph, rewriter);

  for (; taken_ < graph.proved().size(); ++taken_) {
    entries_.push_back({stage, graph.proved()[taken_], false});
  }
  if (problems.empty()) return absl::OkStatus();
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
  absl::Status status = absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
  if (!remedy.empty()) solver::Attach(remedy, status, mended);
  return status;
}

void Ledger::Finish(const ir::Graph& graph, const std::string& stage) {
  for (const ir::Obligation& open : graph.obligations()) entries_.push_back({stage, open, true});
  symbols_ = graph.context().symbols().size();
}

std::function<absl::Status(ir::Graph&)> ShapeCheck(std::string file) {
  return [file = std::move(file)](ir::Graph& graph) {
    solver::Prover prover;
    return Ledger().Discharge(graph, prover, kImport, /*guards=*/true, file);
  };
}

size_t Ledger::CountOf(bool guarded) const {
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
                                           [&](const Entry& e) { return e.guarded == guarded; }));
}

}  // namespace tessera::proving

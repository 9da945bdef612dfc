#include "solver/prove.h"

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "solver/smt_encoder.h"
#include "z3++.h"

namespace tessera::solver {
namespace {

using internal::SmtEncoder;

// Symbols that no query mentions take their least value.
void Complete(const Context& context, Assignment& assignment) {
  for (const SymbolInfo* symbol : context.symbols()) {
    if (symbol->value.has_value()) continue;
    assignment.try_emplace(symbol->name, symbol->range.lo == Range::kNegInf ? 0 : symbol->range.lo);
  }
}

// By evaluation of what the query was made from, not of Z3's terms.
bool SatisfiesFacts(const Context& context, const Assignment& assignment) {
  for (const SymbolInfo* symbol : context.symbols()) {
    const auto it = assignment.find(symbol->name);
    if (it != assignment.end() && !symbol->range.Contains(it->second)) return false;
  }
  for (const Expr& hypothesis : context.hypotheses()) {
    const absl::StatusOr<int64_t> value = Evaluate(hypothesis, assignment);
    if (!value.ok() || *value == 0) return false;
  }
  return true;
}

struct Answer {
  z3::check_result result = z3::unknown;
  Assignment model;
};

// One question: is there an assignment that satisfies the facts and makes `goal` false? Without a
// goal: is there one that satisfies the facts?
struct Query {
  Context& context;
  std::optional<Expr> goal;
  std::vector<Expr> positive;  // what the facts make >= 1, for Z3 to know

  bool Serves(const Assignment& model) const {
    if (!SatisfiesFacts(context, model)) return false;
    if (!goal) return true;
    const absl::StatusOr<int64_t> value = Evaluate(*goal, model);
    return value.ok() && *value == 0;
  }
};

// `sat` only with a model that serves.
Answer Ask(const Query& query, const ProveOptions& options, bool newer_arithmetic) {
  // Z3's C++ interface reports by exceptions; none leaves this function.
  try {
    // In a context of its own, so that an answer depends on nothing that was asked before.
    z3::context z3;
    z3::solver solver(z3, z3::solver::simple());
    z3::params params(z3);
    params.set("rlimit", options.step_limit);
    params.set("random_seed", 42u);
    if (!newer_arithmetic) params.set("arith.solver", 2u);
    solver.set(params);
    SmtEncoder encoder(query.context, z3, solver);
    for (const Expr& divisor : query.positive) solver.add(encoder.Integer(divisor) >= 1);
    for (const Expr& hypothesis : query.context.hypotheses()) solver.add(encoder.Truth(hypothesis));
    if (query.goal) solver.add(!encoder.Truth(*query.goal));
    for (int round = 0;; ++round) {
      Answer answer;
      answer.result = solver.check();
      if (answer.result != z3::sat) return answer;
      const z3::model model = solver.get_model();
      answer.model = encoder.ModelOf(model);
      Complete(query.context, answer.model);
      if (query.Serves(answer.model)) return answer;
      if (round == options.refinements || !encoder.Refine(model)) return {};
    }
  } catch (const z3::exception&) {
    return {};
  }
}

}  // namespace

Prover::Prover(ProveOptions options) : options_(options) {}

Verdict Prover::Prove(Context& context, const Expr& predicate) {
  Verdict verdict = Decide(context, predicate);
  if (verdict.kind != Verdict::kUnknown) return verdict;
  if (verdict.by != "undecided" && verdict.by != "no-witness") return verdict;

  std::vector<Expr> positive;
  for (const Expr& divisor : context.unproved_divisors()) {
    if (internal::IsDefinedEverywhere(divisor) &&
        Decide(context, Ge(divisor, 1)).kind == Verdict::kProved)
      positive.push_back(divisor);
  }
  const auto ask = [&](const std::optional<Expr>& goal) {
    ++queries_;
    const Query query{context, goal, positive};
    const Answer answer = Ask(query, options_, false);
    return answer.result == z3::unknown ? Ask(query, options_, true) : answer;
  };

  bool witnessed = context.hypotheses().empty();
  if (verdict.by == "no-witness") {
    // The search found none; nothing is proved unless there is one.
    const Answer facts = ask(std::nullopt);
    if (facts.result == z3::unsat) verdict.by = "contradictory-facts";
    if (facts.result != z3::sat) return verdict;
    witnessed = true;
  }
  const Answer answer = ask(verdict.residual);
  if (answer.result == z3::sat) return {Verdict::kRefuted, "z3-model", answer.model, 0};
  if (answer.result != z3::unsat) return SearchOn(context, verdict.residual);
  if (!witnessed) {
    const Answer facts = ask(std::nullopt);
    if (facts.result != z3::sat) {
      verdict.by = facts.result == z3::unsat ? "contradictory-facts" : "no-witness";
      return verdict;
    }
  }
  return {Verdict::kProved, "z3", {}, 1};
}

}  // namespace tessera::solver

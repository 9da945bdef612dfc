#include "solver/prove.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/smt_encoder.h"
#include "z3++.h"

namespace tessera::solver {
namespace {

using internal::Division;
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
  const auto holds = [&](const Expr& e, int64_t least) {
    const absl::StatusOr<int64_t> value = Evaluate(e, assignment);
    return value.ok() && *value >= least;
  };
  for (const SymbolInfo* symbol : context.symbols()) {
    const auto it = assignment.find(symbol->name);
    if (it != assignment.end() && !symbol->range.Contains(it->second)) return false;
  }
  for (const Expr& hypothesis : context.hypotheses()) {
    if (!holds(hypothesis, 1)) return false;
  }
  for (const Expr& divisor : context.unproved_divisors()) {
    if (!holds(divisor, 1)) return false;
  }
  return true;
}

struct Answer {
  z3::check_result result = z3::unknown;
  Assignment model;
};

}  // namespace

class Prover::Session {
 public:
  explicit Session(const ProveOptions& options) : options_(options) {}

  // Is there an assignment of the facts with `goal` false? Without a goal: is there one?
  Answer Refute(Context& context, const std::optional<Expr>& goal) {
    std::vector<Expr> parts = context.unproved_divisors();
    parts.insert(parts.end(), context.hypotheses().begin(), context.hypotheses().end());
    if (goal) parts.push_back(*goal);
    bool affine = true;
    for (const Expr& part : parts) affine &= internal::IsAffine(part);
    if (!affine) return Ask(context, goal, Division::kNative, options_.product_limit);
    const Answer answer = Ask(context, goal, Division::kQuotientVariable, options_.affine_limit);
    if (answer.result != z3::unknown) return answer;
    return Ask(context, goal, Division::kNative, options_.affine_limit);
  }

  int queries() const { return queries_; }

 private:
  Answer Ask(Context& context, const std::optional<Expr>& goal, Division division,
             uint32_t resource_limit) {
    ++queries_;
    // Z3's C++ interface reports by exceptions; none leaves this function.
    try {
      z3::solver solver(z3_, z3::solver::simple());
      z3::params params(z3_);
      params.set("rlimit", resource_limit);
      params.set("random_seed", 42u);
      if (division == Division::kQuotientVariable) params.set("arith.solver", 2u);
      solver.set(params);
      SmtEncoder encoder(context, z3_, solver, division);
      for (const Expr& divisor : context.unproved_divisors()) {
        solver.add(encoder.Integer(divisor) >= 1);
      }
      for (const Expr& hypothesis : context.hypotheses()) solver.add(encoder.Truth(hypothesis));
      if (goal) solver.add(!encoder.Truth(*goal));
      Answer answer;
      answer.result = solver.check();
      if (answer.result == z3::sat) {
        answer.model = encoder.ModelOf(solver.get_model());
        Complete(context, answer.model);
      }
      return answer;
    } catch (const z3::exception&) {
      return {};
    }
  }

  const ProveOptions options_;
  z3::context z3_;
  int queries_ = 0;
};

Prover::Prover(ProveOptions options) : options_(options) {}
Prover::~Prover() = default;

int Prover::queries() const { return session_ == nullptr ? 0 : session_->queries(); }

Verdict Prover::Prove(Context& context, const Expr& predicate) {
  Verdict verdict = Decide(context, predicate);
  if (verdict.kind != Verdict::kUnknown) return verdict;
  if (verdict.by != "undecided" && verdict.by != "no-witness") return verdict;
  if (session_ == nullptr) session_ = std::make_unique<Session>(options_);

  bool witnessed = false;
  if (verdict.by == "no-witness") {
    // The search found none; nothing is proved unless there is one.
    const Answer facts = session_->Refute(context, std::nullopt);
    if (facts.result == z3::unsat) {
      verdict.by = "contradictory-facts";
      return verdict;
    }
    if (facts.result != z3::sat || !SatisfiesFacts(context, facts.model)) return verdict;
    witnessed = true;
  }
  const Expr goal = verdict.residual;
  const Answer answer = session_->Refute(context, goal);
  if (answer.result == z3::sat) {
    const absl::StatusOr<int64_t> value = Evaluate(goal, answer.model);
    if (value.ok() && *value == 0 && SatisfiesFacts(context, answer.model)) {
      return {Verdict::kRefuted, "z3-model", answer.model, 0};
    }
    return verdict;
  }
  if (answer.result != z3::unsat) return verdict;
  if (!witnessed && !(context.hypotheses().empty() && context.unproved_divisors().empty())) {
    const Answer facts = session_->Refute(context, std::nullopt);
    if (facts.result != z3::sat || !SatisfiesFacts(context, facts.model)) {
      verdict.by = facts.result == z3::unsat ? "contradictory-facts" : "no-witness";
      return verdict;
    }
  }
  return {Verdict::kProved, "z3", {}, 1};
}

}  // namespace tessera::solver

#include "solver/certificate/decisions.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "solver/certificate/evaluate.h"
#include "solver/certificate/remainders.h"
#include "solver/certificate/search.h"
#include "solver/certificate/simplify.h"
#include "solver/certificate/smtlib.h"
#include "support/file.h"

namespace tessera::certificate {
namespace {

// Enough to find what fails at a small size, in much less time than cvc5 takes to start.
constexpr int64_t kQuickAssignments = 400;
constexpr int64_t kQuickTries = 4000;
// cvc5 multiplies out, without counting that as a resource: 5 s for a degree of 200.
constexpr int64_t kMaxDegree = 32;
// Of assignments that facts may exclude.
constexpr int64_t kTries = 400000;

}  // namespace

std::string AssignmentText(const Problem& problem, const Claim& claim,
                           absl::Span<const int64_t> values) {
  if (claim.symbols.empty()) return "at any size";
  std::vector<std::string> texts;
  for (uint32_t symbol : claim.symbols)
    texts.push_back(absl::StrCat(problem.symbols()[symbol].name, " = ", values[symbol]));
  return "for " + absl::StrJoin(texts, ", ");
}

absl::Status Decisions::Run(absl::Span<const Obligation> obligations, CheckReport& report) {
  for (const Obligation& obligation : obligations)
    report.obligations.push_back(Prepare(obligation));
  for (const std::string& statement : options_.also) {
    Obligation obligation;
    obligation.statement = statement;
    if (const absl::StatusOr<Claim> claim = problem_.ReadClaim(statement); claim.ok())
      obligation.smt2 = ToSmtLib(problem_, *claim);
    report.also.push_back(Prepare(obligation));
  }
  for (auto& [statement, question] : questions_) {
    const Trial quick =
        Search(problem_, question.claim, witness_).Sample(kQuickAssignments, kQuickTries);
    if (quick.violated) question.decided = Violated(question.claim, *quick.violated);
  }
  // Products of sizes: seconds of cvc5, or none where polynomials decide. A proof is cvc5's.
  const bool first = options_.proofs.empty();
  if (first) Simplify();
  if (absl::Status status = Ask(Open(), kAttempts[0]); !status.ok()) return status;
  if (!first && Simplify()) {
    if (absl::Status status = Ask(Open(), kAttempts[0]); !status.ok()) return status;
  }
  for (const Attempt& attempt : absl::MakeConstSpan(kAttempts).subspan(1)) {
    if (absl::Status status = Ask(Open(), attempt); !status.ok()) return status;
  }
  // One side of a conjunction alone is at times harder than all: what was proved of it is a
  // premise.
  if (absl::Status status = Ask(Restated(), kAttempts[0]); !status.ok()) return status;
  if (absl::Status status = Ask(Widened(), kAttempts[0], /*wider=*/true); !status.ok())
    return status;
  for (auto& [statement, question] : questions_) {
    if (!question.decided && question.failure.empty() &&
        HoldsByRemainders(problem_, question.claim))
      question.decided = ObligationReport{Outcome::kProved, "remainders", 0, ""};
    if (question.decided) continue;
    if (std::chrono::steady_clock::now() > deadline_)
      return absl::DeadlineExceededError("the time was over (`--timeout`) before all was tried");
    question.decided = Try(question);
  }
  const auto answer = [&](ObligationReport& one, const std::string& statement) {
    if (one.outcome == Outcome::kProved) one = *questions_.find(statement)->second.decided;
  };
  for (size_t i = 0; i < report.obligations.size(); ++i)
    answer(report.obligations[i], obligations[i].statement);
  for (size_t i = 0; i < report.also.size(); ++i) answer(report.also[i], options_.also[i]);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Decisions::WriteProofs(absl::Span<const Obligation> obligations) const {
  int64_t written = 0;
  for (const Attempt& attempt : kAttempts) {
    std::vector<std::string> names, queries;
    std::set<std::string> seen;
    for (size_t i = 0; i < obligations.size(); ++i) {
      const auto it = questions_.find(obligations[i].statement);
      if (it == questions_.end() || it->second.logic != attempt.logic ||
          !seen.insert(it->first).second)
        continue;
      names.push_back(absl::StrCat(options_.proofs, "/", i));
      queries.push_back(it->second.query);
    }
    const absl::StatusOr<std::vector<std::string>> proofs = cvc5_.Proofs(queries, attempt);
    if (!proofs.ok()) return proofs.status();
    for (size_t i = 0; i < names.size(); ++i) {
      absl::Status status = support::WriteFile(names[i] + ".smt2", queries[i]);
      if (status.ok() && !(*proofs)[i].empty()) {
        status = support::WriteFile(names[i] + ".alethe", (*proofs)[i]);
        ++written;
      }
      if (!status.ok()) return status;
    }
  }
  return written;
}

ObligationReport Decisions::Violated(const Claim& claim, absl::Span<const int64_t> values) const {
  return Failed(absl::StrCat("does not hold ", AssignmentText(problem_, claim, values)));
}

ObligationReport Decisions::Prepare(const Obligation& obligation) {
  const auto known = queries_.find(obligation.statement);
  if (known != queries_.end()) {
    if (!obligation.smt2.empty() && obligation.smt2 != known->second)
      return Failed("`smt2` is not the query of the statement");
    if (obligation.verdict == Verdict::kProved && questions_.count(obligation.statement) != 0)
      return {Outcome::kProved, "", 0, ""};
  }
  absl::StatusOr<Claim> claim = problem_.ReadClaim(obligation.statement);
  if (!claim.ok()) return Failed(std::string(claim.status().message()));
  std::string query = ToSmtLib(problem_, *claim);
  if (known == queries_.end()) {
    if (query != obligation.smt2) return Failed("`smt2` is not the query of the statement");
    queries_.emplace(obligation.statement, query);
  }
  if (obligation.verdict == Verdict::kGuarded) {
    if (Evaluator(*claim).Evaluate(witness_) == Truth::kUndecided)
      return Failed("it cannot be evaluated for the witness: a value exceeds 128 bits");
    return {Outcome::kGuarded, "", 0, ""};
  }
  const int64_t degree = Degree(claim->statement);
  questions_.try_emplace(obligation.statement, Question{*std::move(claim), std::move(query),
                                                        std::nullopt, "", "", degree});
  return {Outcome::kProved, "", 0, ""};
}

bool Decisions::Simplify() {
  bool any = false;
  for (auto& [statement, question] : questions_) {
    if (question.decided || question.degree < 2) continue;
    const std::optional<Claim> simple = Simplified(problem_, question.claim);
    if (!simple) continue;
    if (IsTrue(*simple)) {
      question.decided = ObligationReport{Outcome::kProved, "polynomials", 0, ""};
      continue;
    }
    question.query = ToSmtLib(problem_, *simple);
    question.degree = Degree(simple->statement);
    any = true;
  }
  return any;
}

std::vector<Decisions::Question*> Decisions::Open() {
  std::vector<Question*> open;
  for (auto& [statement, question] : questions_) {
    if (!question.decided) open.push_back(&question);
  }
  return open;
}

std::vector<Decisions::Question*> Decisions::Restated() {
  std::vector<Question*> restated;
  for (auto& [statement, question] : questions_) {
    const std::string& stated = queries_.at(statement);
    if (question.decided || question.query == stated) continue;
    question.query = stated;
    question.degree = Degree(question.claim.statement);
    restated.push_back(&question);
  }
  return restated;
}

std::vector<Decisions::Question*> Decisions::Widened() {
  std::vector<Question*> widened;
  for (Question* question : Open()) {
    std::string query = ToWiderSmtLib(problem_, question->claim);
    if (query.empty()) continue;
    question->query = std::move(query);
    widened.push_back(question);
  }
  return widened;
}

absl::Status Decisions::Ask(std::vector<Question*> questions, Attempt attempt, bool wider) {
  if (options_.resources > 0) attempt.resources = options_.resources;
  std::erase_if(questions, [](const Question* one) { return one->degree > kMaxDegree; });
  if (questions.empty()) return absl::OkStatus();
  std::vector<std::string> queries;
  for (const Question* question : questions) queries.push_back(question->query);
  const absl::StatusOr<std::vector<Reply>> replies = cvc5_.Decide(queries, attempt);
  if (!replies.ok()) return replies.status();
  for (size_t i = 0; i < questions.size(); ++i) {
    const Reply& reply = (*replies)[i];
    if (reply.answer == Answer::kUnsat) {
      questions[i]->decided = ObligationReport{Outcome::kProved, "cvc5", 0, ""};
      questions[i]->logic = attempt.logic;
    }
    if (reply.answer == Answer::kSat && !wider)
      questions[i]->decided = Refuted(*questions[i], attempt);
    if (reply.answer == Answer::kFailed) questions[i]->failure = reply.failure;
  }
  return absl::OkStatus();
}

ObligationReport Decisions::Refuted(const Question& question, const Attempt& attempt) const {
  std::vector<std::string> names;
  for (uint32_t symbol : question.claim.symbols)
    names.push_back(SmtLibName(problem_.symbols()[symbol].name));
  const std::vector<int64_t> model = cvc5_.Model(question.query, names, attempt);
  if (model.size() != names.size()) return Failed("cvc5 says that it does not hold");
  std::vector<int64_t> values = witness_;
  for (size_t i = 0; i < model.size(); ++i) values[question.claim.symbols[i]] = model[i];
  if (Evaluator(question.claim).Evaluate(values) == Truth::kViolated)
    return Violated(question.claim, values);
  return Failed(absl::StrCat("cvc5 says that it does not hold ",
                             AssignmentText(problem_, question.claim, values),
                             ", which evaluation does not confirm"));
}

ObligationReport Decisions::Try(const Question& question) const {
  const Claim& claim = question.claim;
  const Trial all = Search(problem_, claim, witness_).Exhaust();
  if (all.violated) return Violated(claim, *all.violated);
  if (all.complete) return {Outcome::kProved, "exhaustive", all.held, ""};
  if (!question.failure.empty()) return Failed(question.failure);
  const Trial many = Search(problem_, claim, witness_).Sample(kLeastEvaluated, kTries);
  if (many.violated) return Violated(claim, *many.violated);
  if (many.held >= kLeastEvaluated) return {Outcome::kEvaluated, "evaluation", many.held, ""};
  return Failed(absl::StrCat("cvc5 does not decide it, and of ", kTries, " assignments only ",
                             many.held, " are admitted and can be evaluated"));
}

}  // namespace tessera::certificate

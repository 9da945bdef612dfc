#include "solver/certificate/check.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "solver/certificate/evaluate.h"
#include "solver/certificate/problem.h"
#include "solver/certificate/search.h"
#include "solver/certificate/simplify.h"
#include "solver/certificate/smtlib.h"
#include "solver/certificate/solver.h"
#include "support/file.h"
#include "support/printable.h"

namespace tessera::certificate {
namespace {

// Enough to find what fails at a small size, in much less time than cvc5 takes to start.
constexpr int64_t kQuickAssignments = 400;
constexpr int64_t kQuickTries = 4000;
// cvc5 multiplies out, without counting that as a resource: 5 s for a degree of 200.
constexpr int64_t kMaxDegree = 32;
// Of assignments that facts may exclude.
constexpr int64_t kTries = 400000;

std::string AssignmentText(const Problem& problem, const Claim& claim,
                           absl::Span<const int64_t> values) {
  if (claim.symbols.empty()) return "at any size";
  std::vector<std::string> texts;
  for (uint32_t symbol : claim.symbols)
    texts.push_back(absl::StrCat(problem.symbols()[symbol].name, " = ", values[symbol]));
  return "for " + absl::StrJoin(texts, ", ");
}

// The witness's values in the order of the problem's symbols.
absl::StatusOr<std::vector<int64_t>> ReadWitness(const Problem& problem,
                                                 const Certificate& certificate) {
  const Assignment& witness = certificate.witness;
  std::vector<int64_t> values;
  for (const DeclaredSymbol& symbol : problem.symbols()) {
    const auto it = witness.find(symbol.name);
    if (it == witness.end())
      return absl::InvalidArgumentError(absl::StrCat("the witness lacks `", symbol.name, "`"));
    const int64_t value = it->second;
    if ((symbol.lo && value < *symbol.lo) || (symbol.hi && value > *symbol.hi) ||
        (__int128{value} - symbol.residue) % symbol.stride != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("vacuous: the witness has ", symbol.name, " = ", value,
                       ", which the declaration of the symbol excludes"));
    }
    values.push_back(value);
  }
  if (witness.size() != problem.symbols().size())
    return absl::InvalidArgumentError("the witness has a symbol that is not declared");
  for (size_t i = 0; i < problem.facts().size(); ++i) {
    const Claim& fact = problem.facts()[i];
    if (Evaluator(fact).Evaluate(values) != Truth::kHolds) {
      return absl::InvalidArgumentError(
          absl::StrCat("vacuous: fact `", Shown(certificate.facts[i].statement),
                       "` does not hold for the witness, ", AssignmentText(problem, fact, values)));
    }
  }
  return values;
}

// What is to be decided about one statement, for all obligations that state it.
struct Question {
  Claim claim;
  std::string query;
  std::optional<ObligationReport> decided;
  std::string failure;  // of the solver, the last one
  std::string logic;    // of the attempt that proved it; empty: none did
  int64_t degree = 0;   // of the query
};

class Checker {
 public:
  Checker(const Problem& problem, std::vector<int64_t> witness, const CheckOptions& options,
          Program cvc5)
      : problem_(problem),
        witness_(std::move(witness)),
        options_(options),
        deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds)),
        cvc5_(std::move(cvc5), deadline_) {}

  absl::Status Run(absl::Span<const Obligation> obligations, CheckReport& report) {
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
    if (options_.proofs.empty()) Simplify();
    if (absl::Status status = Ask(kAttempts[0]); !status.ok()) return status;
    if (Simplify()) {
      if (absl::Status status = Ask(kAttempts[0]); !status.ok()) return status;
    }
    for (const Attempt& attempt : absl::MakeConstSpan(kAttempts).subspan(1)) {
      if (absl::Status status = Ask(attempt); !status.ok()) return status;
    }
    for (auto& [statement, question] : questions_) {
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

  // Writes query and proof of each statement that cvc5 proved, named by the first obligation that
  // states it. The number of proofs.
  absl::StatusOr<int64_t> WriteProofs(absl::Span<const Obligation> obligations) const {
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

 private:
  static ObligationReport Failed(std::string why) {
    return {Outcome::kFailed, "", 0, std::move(why)};
  }
  ObligationReport Violated(const Claim& claim, absl::Span<const int64_t> values) const {
    return Failed(absl::StrCat("does not hold ", AssignmentText(problem_, claim, values)));
  }

  // What can be said without deciding the statement; kProved stands for a question.
  ObligationReport Prepare(const Obligation& obligation) {
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

  // Puts what is open and not linear in simpler words; whether there is such a question.
  bool Simplify() {
    bool any = false;
    for (auto& [statement, question] : questions_) {
      if (question.decided || question.degree < 2) continue;
      const std::optional<Claim> simple = Simplified(problem_, question.claim);
      if (!simple) continue;
      const Term& root = simple->statement.terms[simple->statement.root];
      if (root.op == Operator::kInteger && root.value != 0) {
        question.decided = ObligationReport{Outcome::kProved, "polynomials", 0, ""};
        continue;
      }
      question.query = ToSmtLib(problem_, *simple);
      question.degree = Degree(simple->statement);
      any = true;
    }
    return any;
  }

  absl::Status Ask(Attempt attempt) {
    if (options_.resources > 0) attempt.resources = options_.resources;
    std::vector<Question*> open;
    std::vector<std::string> queries;
    for (auto& [statement, question] : questions_) {
      if (question.decided || question.degree > kMaxDegree) continue;
      open.push_back(&question);
      queries.push_back(question.query);
    }
    const absl::StatusOr<std::vector<Reply>> replies = cvc5_.Decide(queries, attempt);
    if (!replies.ok()) return replies.status();
    for (size_t i = 0; i < open.size(); ++i) {
      const Reply& reply = (*replies)[i];
      if (reply.answer == Answer::kUnsat) {
        open[i]->decided = ObligationReport{Outcome::kProved, "cvc5", 0, ""};
        open[i]->logic = attempt.logic;
      }
      if (reply.answer == Answer::kSat) open[i]->decided = Refuted(*open[i], attempt);
      if (reply.answer == Answer::kFailed) open[i]->failure = reply.failure;
    }
    return absl::OkStatus();
  }

  // Values that cvc5 says violate the claim are evaluated before they are believed. Either way the
  // claim is not proved.
  ObligationReport Refuted(const Question& question, const Attempt& attempt) const {
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

  ObligationReport Try(const Question& question) const {
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

  const Problem& problem_;
  const std::vector<int64_t> witness_;
  const CheckOptions& options_;
  const std::chrono::steady_clock::time_point deadline_;
  const Cvc5 cvc5_;
  std::map<std::string, Question> questions_;   // by statement
  std::map<std::string, std::string> queries_;  // likewise, of guards too
};

}  // namespace

int64_t CheckReport::CountOf(Outcome outcome) const {
  const auto is = [&](const ObligationReport& o) { return o.outcome == outcome; };
  return std::count_if(obligations.begin(), obligations.end(), is) +
         std::count_if(also.begin(), also.end(), is);
}

absl::StatusOr<CheckReport> Check(const Certificate& certificate, const CheckOptions& options) {
  CheckReport report;
  if (const std::string seal = Seal(certificate); seal != certificate.sha256) {
    report.failures.push_back(
        absl::StrCat("the seal is ", certificate.sha256, ", but the contents have ", seal));
    return report;
  }
  const absl::StatusOr<Problem> problem = Problem::Read(certificate);
  if (!problem.ok()) {
    report.failures.emplace_back(problem.status().message());
    return report;
  }
  const absl::StatusOr<std::vector<int64_t>> witness = ReadWitness(*problem, certificate);
  if (!witness.ok()) {
    report.failures.emplace_back(witness.status().message());
    return report;
  }
  absl::StatusOr<Program> cvc5 = Program{options.cvc5, ""};
  if (options.cvc5.empty()) cvc5 = FindCvc5();
  if (!cvc5.ok()) return cvc5.status();
  Checker checker(*problem, *witness, options, *std::move(cvc5));
  if (absl::Status status = checker.Run(certificate.obligations, report); !status.ok())
    return status;
  if (options.proofs.empty()) return report;
  const absl::StatusOr<int64_t> proofs = checker.WriteProofs(certificate.obligations);
  if (!proofs.ok()) return proofs.status();
  report.proofs = *proofs;
  return report;
}

std::string ToText(const Certificate& certificate, const CheckReport& report) {
  std::string text;
  for (const std::string& failure : report.failures)
    absl::StrAppend(&text, support::Printable(failure), "\n");
  std::map<std::string, int64_t> proved;
  for (size_t i = 0; i < report.obligations.size(); ++i) {
    const ObligationReport& o = report.obligations[i];
    const Obligation& from = certificate.obligations[i];
    if (o.outcome == Outcome::kProved) {
      ++proved[o.by];
      continue;
    }
    absl::StrAppend(&text, i, ": ", support::Printable(from.id), " of `",
                    support::Printable(from.node), "`: ");
    if (o.outcome == Outcome::kFailed)
      absl::StrAppend(&text, "FAILED: ", support::Printable(o.failure));
    if (o.outcome == Outcome::kEvaluated)
      absl::StrAppend(&text, "not proved, held at ", o.assignments, " assignments");
    if (o.outcome == Outcome::kGuarded) absl::StrAppend(&text, "checked at run time");
    absl::StrAppend(&text, ": ", support::Printable(Shown(from.statement)), "\n");
  }
  for (const ObligationReport& o : report.also) {
    if (o.outcome == Outcome::kProved) ++proved[o.by];
  }
  absl::StrAppend(&text, report.obligations.size() + report.also.size(),
                  " obligations: ", report.CountOf(Outcome::kProved), " proved");
  const char* separator = " (";
  for (const auto& [by, count] : proved) {
    absl::StrAppend(&text, separator, by, " ", count);
    separator = ", ";
  }
  if (!proved.empty()) text += ")";
  absl::StrAppend(&text, ", ", report.CountOf(Outcome::kEvaluated), " evaluated, ",
                  report.CountOf(Outcome::kGuarded), " guarded, ", report.CountOf(Outcome::kFailed),
                  " failed\n");
  if (report.proofs) absl::StrAppend(&text, *report.proofs, " proofs written\n");
  return text;
}

}  // namespace tessera::certificate

#include "solver/statements.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "solver/definedness.h"

namespace tessera::solver {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

// Calls `part` with what stands between commas and semicolons outside parentheses.
template <typename Part>
absl::Status ForFacts(std::string_view text, Part part) {
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ';';
    if (c == '`') quoted = !quoted;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (i < text.size() && (quoted || depth > 0 || (c != ';' && c != ','))) continue;
    const std::string_view fact = text.substr(start, i - start);
    start = i + 1;
    const bool blank = std::all_of(fact.begin(), fact.end(),
                                   [](unsigned char b) { return absl::ascii_isspace(b); });
    if (blank) continue;
    if (absl::Status status = part(fact); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status In(absl::string_view place, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

bool FactsHold(const Statement& statement, const Assignment& assignment) {
  return std::all_of(statement.facts.begin(), statement.facts.end(), [&](const Syntax& fact) {
    const absl::StatusOr<int64_t> value = EvaluateSyntax(fact, assignment);
    return value.ok() && *value != 0;
  });
}

// Whether the facts hold and the claim does not, by the texts.
bool Serves(const Statement& statement, const Assignment& assignment) {
  if (!FactsHold(statement, assignment)) return false;
  const absl::StatusOr<int64_t> value = EvaluateSyntax(statement.claim, assignment);
  return value.ok() && *value == 0;
}

// Whether the facts hold and the claim divides by what is not positive, by the texts.
bool DividesBadly(const Statement& statement, const Assignment& assignment) {
  return FactsHold(statement, assignment) &&
         absl::IsInvalidArgument(EvaluateSyntax(statement.claim, assignment).status());
}

// `verdict`, of a claim as if it had a value everywhere, where all divisors are shown to be
// positive.
Verdict WithDivisors(Context& context, const Statement& statement, const DecisionProcedure& decide,
                     Verdict verdict) {
  std::optional<Expr> open;
  for (const Syntax& fact : statement.facts) {
    for (const internal::Division& division : internal::OpenDivisions(context, fact)) {
      const Expr positive = division.Positive();
      if (decide(context, positive).kind != Verdict::kProved)
        return {Verdict::kUnknown, "unproved-divisor", {}, positive};
    }
  }
  for (const internal::Division& division : internal::OpenDivisions(context, statement.claim)) {
    const Expr positive = division.Positive();
    Verdict of_divisor = decide(context, positive);
    if (of_divisor.kind == Verdict::kProved) continue;
    open = positive;
    if (of_divisor.kind != Verdict::kRefuted) continue;
    const Assignment sizes = Completed(context, std::move(of_divisor.counterexample));
    if (DividesBadly(statement, sizes))
      return {Verdict::kRefuted, "divisor", sizes, division.divisor};
  }
  if (open && verdict.kind == Verdict::kProved)
    return {Verdict::kUnknown, "unproved-divisor", {}, *open};
  return verdict;
}

double MicrosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

// The columns of a line; false: not five.
bool Split(std::string_view line, std::string_view (&columns)[5]) {
  for (size_t i = 0; i < 5; ++i) {
    const size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i == 4)) return false;
    columns[i] = line.substr(0, tab);
    if (i < 4) line.remove_prefix(tab + 1);
  }
  return true;
}

}  // namespace

absl::StatusOr<Statement> ParseStatement(std::string_view text) {
  const size_t turnstile = text.find("|-");
  if (turnstile == std::string_view::npos) return ParseStatement("", text);
  return ParseStatement(text.substr(0, turnstile), text.substr(turnstile + 2));
}

absl::StatusOr<Statement> ParseStatement(std::string_view facts, std::string_view claim) {
  Statement statement;
  const absl::Status status = ForFacts(facts, [&](std::string_view fact) {
    absl::StatusOr<Syntax> syntax = ParseSyntax(fact);
    if (!syntax.ok()) return In(absl::StrCat("fact `", Absl(fact), "`"), syntax.status());
    statement.facts.push_back(*std::move(syntax));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  absl::StatusOr<Syntax> syntax = ParseSyntax(claim);
  if (!syntax.ok()) return In("claim", syntax.status());
  statement.claim = *std::move(syntax);
  return statement;
}

Verdict DecideStatement(Context& context, const Statement& statement,
                        const DecisionProcedure& decide) {
  const auto declare = [&](const Syntax& syntax) {
    for (const std::string& name : syntax.symbols) {
      if (context.Find(name) == nullptr)
        context.Declare(name, Range{}, {}, "the statement").IgnoreError();
    }
  };
  for (const Syntax& fact : statement.facts) {
    declare(fact);
    const Expr predicate = Build(context, fact);
    if (predicate.IsInvalid()) return {Verdict::kUnknown, "invalid", {}, predicate};
    // A contradiction is remembered, and is what `decide` then answers.
    context.Assume(predicate, "the statement").IgnoreError();
  }
  declare(statement.claim);
  const Expr claim = Build(context, statement.claim);
  Verdict verdict = decide(context, claim);
  if (verdict.kind == Verdict::kRefuted) {
    verdict.counterexample = Completed(context, std::move(verdict.counterexample));
    if (Serves(statement, verdict.counterexample)) return verdict;
    verdict = {Verdict::kUnknown, "bad-counterexample", {}, verdict.residual};
  }
  if (!claim.IsInvalid() && context.unproved_divisors().empty()) return verdict;
  return WithDivisors(context, statement, decide, std::move(verdict));
}

absl::StatusOr<StatementReport> DecideStatements(std::string_view table,
                                                 const DecisionProcedure& decide) {
  using Clock = std::chrono::steady_clock;
  StatementReport report;
  for (int number = 1; !table.empty(); ++number) {
    const size_t end = std::min(table.find('\n'), table.size());
    std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    std::string_view columns[5];
    if (!Split(line, columns) || (columns[4] != "valid" && columns[4] != "invalid")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", number,
          ": expected family, name, facts, claim and `valid` or `invalid` between tabs"));
    }
    const auto start = Clock::now();
    const absl::StatusOr<Statement> statement = ParseStatement(columns[2], columns[3]);
    if (!statement.ok()) return In(absl::StrCat("line ", number), statement.status());
    StatementOutcome outcome;
    outcome.family = columns[0];
    outcome.name = columns[1];
    outcome.valid = columns[4] == "valid";
    outcome.parse_us = MicrosecondsSince(start);
    const auto parsed = Clock::now();
    std::optional<Context> context(std::in_place);
    Verdict verdict = DecideStatement(*context, *statement, decide);
    outcome.decide_us = MicrosecondsSince(parsed);
    outcome.kind = verdict.kind;
    outcome.by = std::move(verdict.by);
    outcome.counterexample = std::move(verdict.counterexample);
    if (verdict.kind == Verdict::kUnknown) outcome.residual = verdict.residual.ToString();
    ++(outcome.valid ? report.valid : report.invalid);
    report.proved += outcome.valid && outcome.kind == Verdict::kProved ? 1 : 0;
    report.refuted += !outcome.valid && outcome.kind == Verdict::kRefuted ? 1 : 0;
    report.wrong += outcome.wrong() ? 1 : 0;
    report.unknown += outcome.kind == Verdict::kUnknown ? 1 : 0;
    report.outcomes.push_back(std::move(outcome));
  }
  return report;
}

double StatementReport::Percentile(int percent) const {
  if (outcomes.empty()) return 0;
  std::vector<double> times;
  times.reserve(outcomes.size());
  for (const StatementOutcome& outcome : outcomes) times.push_back(outcome.decide_us);
  std::sort(times.begin(), times.end());
  const size_t rank = (times.size() * static_cast<size_t>(percent) + 99) / 100;
  return times[std::max<size_t>(rank, 1) - 1];
}

std::string StatementReport::Summary() const {
  return absl::StrFormat(
      "valid proved %d/%d, invalid refuted %d/%d, wrong %d, unknown %d, median %.1f us, p95 %.1f "
      "us, max %.1f us",
      proved, valid, refuted, invalid, wrong, unknown, Percentile(50), Percentile(95),
      Percentile(100));
}

}  // namespace tessera::solver

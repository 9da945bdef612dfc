#include "solver/testing/check_expression.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "solver/decide.h"
#include "solver/testing/random_rewrites.h"

namespace tessera::solver {
namespace {

constexpr size_t kMaxSize = 2000;
constexpr int kPoints = 2;

std::string Describe(const Grammar& grammar, const Context& context, const Expr& e,
                     const std::vector<int64_t>& values) {
  std::string text = absl::StrCat("`", e.ToString(), "` at");
  const std::vector<std::string> names = SymbolsOf(grammar);
  for (size_t i = 0; i < names.size(); ++i) {
    const SymbolInfo* info = context.Find(names[i]);
    absl::StrAppend(&text, " ", names[i], "=", values[i], " in [", info->range.lo, ", ",
                    info->range.hi, "] mod ", info->congruence.stride,
                    " == ", info->congruence.residue);
  }
  return text;
}

std::string FactsOf(const Context& context) {
  std::string text;
  for (const Fact& fact : context.facts())
    absl::StrAppend(&text, text.empty() ? " with " : ", ", fact.predicate.ToString());
  return text;
}

Assignment AssignmentOf(const std::vector<std::string>& names, const std::vector<int64_t>& values) {
  Assignment result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_hint(result.end(), names[i], values[i]);
  return result;
}

}  // namespace

Grammar ExpressionChecker::RandomGrammar(Choices& choices) {
  Grammar grammar;
  grammar.depth = 2 + static_cast<int>(choices.Below(3));
  grammar.free_symbols = 1 + choices.Below(2);
  grammar.divisor_symbols = choices.Below(2);
  return grammar;
}

ExpressionChecker::Domain ExpressionChecker::RandomDomain(Choices& choices, bool divisor) {
  Domain domain;
  switch (choices.Below(4)) {
    case 0:
      domain.range.lo = divisor ? 1 : static_cast<int64_t>(choices.Below(40)) - 20;
      break;
    case 1:
      domain.range.lo =
          divisor ? 1 + choices.Below(9) : static_cast<int64_t>(choices.Below(40)) - 20;
      domain.range.hi = domain.range.lo + choices.Below(30);
      break;
    case 2:
      domain.range = divisor ? Range{2, 64} : Range{-1000, 1000};
      break;
    default:
      if (divisor) domain.range.lo = 1;
  }
  if (choices.OneIn(3)) {
    domain.congruence.stride = 2 + choices.Below(11);
    domain.congruence.residue = choices.Below(static_cast<uint32_t>(domain.congruence.stride));
    // A range of one value of each remainder at least.
    if (domain.range.hi != Range::kPosInf)
      domain.range.hi = std::max(domain.range.hi, domain.range.lo + domain.congruence.stride - 1);
  }
  return domain;
}

int64_t ExpressionChecker::RandomValue(Choices& choices, const Domain& domain) {
  const bool low = domain.range.lo != Range::kNegInf;
  const bool high = domain.range.hi != Range::kPosInf;
  int64_t value = static_cast<int64_t>(choices.Below(choices.OneIn(2) ? 8 : 400));
  if (high) {
    value = domain.range.lo + value % (domain.range.hi - domain.range.lo + 1);
  } else {
    value = low ? domain.range.lo + value : value - 40;
  }
  // The next value with the remainder, or the one before.
  const int64_t stride = domain.congruence.stride;
  int64_t up = (domain.congruence.residue - value) % stride;
  if (up < 0) up += stride;
  return high && value + up > domain.range.hi ? value + up - stride : value + up;
}

absl::StatusOr<std::vector<ExpressionChecker::Domain>> ExpressionChecker::DeclareDomains(
    Choices& choices, const Grammar& grammar, const std::vector<std::string>& names,
    Context& context) {
  std::vector<Domain> domains;
  for (size_t i = 0; i < names.size(); ++i) {
    domains.push_back(RandomDomain(choices, i >= grammar.free_symbols));
    if (!context.Declare(names[i], domains[i].range, domains[i].congruence, "").ok())
      return absl::InternalError(absl::StrCat("cannot declare ", names[i]));
  }
  return domains;
}

std::string ExpressionChecker::CheckForm(Choices& choices) {
  const Grammar grammar = RandomGrammar(choices);
  const std::vector<std::string> names = SymbolsOf(grammar);
  Context context;
  const absl::StatusOr<std::vector<Domain>> domains =
      DeclareDomains(choices, grammar, names, context);
  if (!domains.ok()) return std::string(domains.status().message());
  terms_.Clear();
  const Syntax syntax = terms_.Extract(RandomTerm(choices, grammar, terms_), names);
  const Expr e = Build(context, syntax);
  const Range range = RangeOf(e);
  const Congruence congruence = CongruenceOf(e);
  std::vector<int64_t> values(names.size());
  for (int point = 0; point < kPoints; ++point) {
    for (size_t i = 0; i < names.size(); ++i) values[i] = RandomValue(choices, (*domains)[i]);
    int64_t expected = 0;
    if (!evaluator_.Evaluate(syntax, values, &expected)) continue;
    ++compared_;
    const absl::StatusOr<int64_t> value = Evaluate(e, AssignmentOf(names, values));
    if (!value.ok()) {
      if (e.IsInvalid() || value.status().code() == absl::StatusCode::kOutOfRange) {
        ++overflowed_;
        continue;
      }
      return absl::StrCat(Describe(grammar, context, e, values), ": ", value.status().ToString());
    }
    if (*value != expected)
      return absl::StrCat(Describe(grammar, context, e, values), " is ", *value, ", not ",
                          expected);
    if (!range.Contains(expected))
      return absl::StrCat(Describe(grammar, context, e, values), " is ", expected, ", not in [",
                          range.lo, ", ", range.hi, "]");
    const int64_t off = congruence.stride == 0
                            ? expected - congruence.residue
                            : (expected - congruence.residue) % congruence.stride;
    if (off != 0)
      return absl::StrCat(Describe(grammar, context, e, values), " is ", expected, ", not ",
                          congruence.residue, " mod ", congruence.stride);
  }
  return "";
}

std::string ExpressionChecker::CheckDecision(Choices& choices) {
  Grammar grammar = RandomGrammar(choices);
  grammar.depth = 2;
  const std::vector<std::string> names = SymbolsOf(grammar);
  Context context;
  const absl::StatusOr<std::vector<Domain>> domains =
      DeclareDomains(choices, grammar, names, context);
  if (!domains.ok()) return std::string(domains.status().message());
  std::vector<Syntax> facts;
  for (uint32_t n = choices.Below(3); n > 0; --n) {
    terms_.Clear();
    facts.push_back(terms_.Extract(RandomProposition(choices, grammar, terms_), names));
    const Expr fact = Build(context, facts.back());
    if (fact.IsInvalid()) return "";
    // A contradiction is an answer too: no value may satisfy the facts.
    if (!context.Assume(fact, "").ok()) break;
  }
  terms_.Clear();
  const Syntax syntax = terms_.Extract(RandomProposition(choices, grammar, terms_), names);
  const Expr claim = Build(context, syntax);
  const Verdict verdict = Decide(context, claim);
  const auto all_facts = [&](const std::vector<int64_t>& values) {
    return std::all_of(facts.begin(), facts.end(), [&](const Syntax& fact) {
      int64_t value = 0;
      return evaluator_.Evaluate(fact, values, &value) && value != 0;
    });
  };
  std::vector<int64_t> values(names.size());
  int64_t value = 0;
  if (verdict.kind == Verdict::kRefuted) {
    ++refuted_;
    const Assignment counterexample = Completed(context, verdict.counterexample);
    for (size_t i = 0; i < names.size(); ++i) {
      const auto it = counterexample.find(names[i]);
      if (it == counterexample.end()) return absl::StrCat("no value for ", names[i]);
      values[i] = it->second;
    }
    if (!evaluator_.Evaluate(syntax, values, &value)) return "";
    if (value != 0 || !all_facts(values))
      return absl::StrCat("no counterexample: ", Describe(grammar, context, claim, values),
                          FactsOf(context));
    return "";
  }
  const bool proved = verdict.kind == Verdict::kProved;
  if (proved) ++proved_;
  if (!proved && !context.contradictory()) return "";
  for (int point = 0; point < 40; ++point) {
    for (size_t i = 0; i < names.size(); ++i) values[i] = RandomValue(choices, (*domains)[i]);
    if (!all_facts(values)) continue;
    if (!proved)
      return absl::StrCat("no contradiction: ", Describe(grammar, context, claim, values),
                          FactsOf(context));
    if (evaluator_.Evaluate(syntax, values, &value) && value == 0)
      return absl::StrCat("proved by ", verdict.by,
                          ", but false: ", Describe(grammar, context, claim, values));
  }
  return "";
}

bool MakeRandomClaim(uint64_t number, bool with_choices, int rewrites, bool perturbed,
                     RandomClaim* result) {
  Choices choices(number * 0x9E3779B97F4A7C15 + 77);
  Grammar& grammar = result->grammar;
  grammar.depth = 4;
  grammar.free_symbols = 1 + choices.Below(2);
  grammar.divisor_symbols = choices.Below(3);
  grammar.choices = with_choices;
  Terms terms;
  const Terms::Id left = RandomTerm(choices, grammar, terms);
  Terms::Id right = left;
  for (uint32_t k = 1 + choices.Below(static_cast<uint32_t>(rewrites)); k > 0; --k)
    right = Rewrite(choices, grammar, terms, right);
  if (perturbed) right = Perturb(choices, grammar, terms, right);
  if (terms.Size(right, kMaxSize) >= kMaxSize) return false;
  result->claim = terms.Extract(terms.Make(Op::kEq, left, right), SymbolsOf(grammar));
  if (!perturbed) return true;
  PlainEvaluator evaluator;
  std::vector<int64_t> values(result->claim.symbols.size());
  for (int point = 0; point < 200; ++point) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = i < grammar.free_symbols ? static_cast<int64_t>(choices.Below(200)) - 100
                                           : 1 + static_cast<int64_t>(choices.Below(20));
    }
    int64_t value = 0;
    if (evaluator.Evaluate(result->claim, values, &value) && value == 0) return true;
  }
  return false;
}

}  // namespace tessera::solver

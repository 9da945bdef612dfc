#include "recheck/facts.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "recheck/declarations.h"
#include "recheck/way.h"
#include "solver/certificate/statement.h"

namespace tessera::recheck {
namespace {

using certificate::DeclaredFact;
using certificate::Statement;
using certificate::Term;

constexpr int kLargestBound = 24, kSmallestBound = 10;  // exponents of two, as the compiler tries
constexpr char kReason[] = "sizes are computed in floats or narrow integers for ";

int64_t LargestUpTo(int64_t bound, int64_t anchor, int64_t stride) {
  return bound - ((bound - anchor) % stride + stride) % stride;
}

}  // namespace

Facts::Facts(const certificate::Certificate& certificate, Session& session)
    : certificate_(certificate), session_(session) {
  for (const DeclaredFact& fact : certificate.facts) {
    const absl::StatusOr<Statement> read = certificate::ParseStatement(fact.statement);
    if (!read.ok()) continue;  // reading the statements has failed
    const Term& root = read->terms[read->root];
    const bool bounds = root.op == Operator::kLe &&
                        read->terms[root.operands[0]].op == Operator::kSymbol &&
                        read->terms[root.operands[1]].op == Operator::kInteger;
    const int64_t most = bounds ? read->terms[root.operands[1]].value : 0;
    const std::string name =
        bounds ? read->symbols[static_cast<size_t>(read->terms[root.operands[0]].value)] : "";
    const bool is_symbol =
        std::any_of(certificate.symbols.begin(), certificate.symbols.end(),
                    [&](const certificate::DeclaredSymbol& symbol) { return symbol.name == name; });
    if (is_symbol && absl::StartsWith(fact.origin, kReason) &&
        most >= int64_t{1} << kSmallestBound && (most & (most - 1)) == 0) {
      bounds_.push_back({name, most, fact.statement, fact.origin});
    } else {
      others_.push_back(&fact);
    }
  }
}

int64_t Facts::MostOf(const std::string& symbol, int64_t high, int64_t modulus,
                      int64_t residue) const {
  for (const Bound& bound : bounds_) {
    if (bound.symbol == symbol) high = std::min(high, LargestUpTo(bound.most, residue, modulus));
  }
  return high;
}

std::optional<int64_t> Facts::At(Dim statement, const std::map<std::string, int64_t>& sizes) {
  Terms& terms = session_.terms();
  const absl::StatusOr<Statement> read = certificate::ParseStatement(terms.Text(statement));
  if (!read.ok()) return std::nullopt;
  std::vector<Dim> symbols;
  for (const std::string& name : read->symbols) {
    const auto it = sizes.find(name);
    if (it == sizes.end()) return std::nullopt;
    symbols.push_back(terms.Integer(it->second));
  }
  return terms.Number(terms.Import(*read, symbols));
}

std::optional<bool> Facts::HoldsAt(const Exactness& exact,
                                   const std::map<std::string, int64_t>& sizes) {
  bool known = true;
  for (const Dim need : exact.needs) {
    const std::optional<int64_t> holds = At(need, sizes);
    if (holds == 0) return false;
    known = known && holds.has_value();
  }
  return known ? std::optional(true) : std::nullopt;
}

std::vector<std::string> Facts::SymbolsOf(const std::vector<Dim>& statements) const {
  const std::vector<Term>& terms = session_.terms().terms();
  std::set<Dim> seen;
  std::vector<Dim> work = statements;
  std::set<std::string> names;
  while (!work.empty()) {
    const Dim dim = work.back();
    work.pop_back();
    if (!seen.insert(dim).second) continue;
    const Term& term = terms[dim];
    if (term.op == Operator::kSymbol)
      names.insert(session_.terms().symbols()[static_cast<size_t>(term.value)]);
    for (int i = 0; i < certificate::Arity(term.op); ++i)
      work.push_back(term.operands[static_cast<size_t>(i)]);
  }
  return {names.begin(), names.end()};
}

// The compiler bounds the sizes of which nobody has stated a bound by the largest power of two at
// which all of them are exact together.
void Facts::TakeBounds(const Exactness& exact) {
  const std::vector<std::string> symbols = SymbolsOf(exact.needs);
  if (symbols.empty()) return;
  const auto asked_here = [&](const Bound& bound) {
    absl::string_view node = bound.origin;
    return absl::ConsumePrefix(&node, kReason) && absl::ConsumePrefix(&node, "`") &&
           absl::ConsumeSuffix(&node, "`") && session_.AsKept(std::string(node)) == exact.node;
  };
  std::map<std::string, int64_t> at;
  std::vector<Bound*> open;
  for (const std::string& symbol : symbols) {
    const auto sizes = sizes_.find(symbol);
    if (sizes == sizes_.end()) return;  // that it is none of a dim was said
    at[symbol] = sizes->second.high;
    // Where it was narrowed before, it may be again.
    const bool stated =
        sizes->second.declared < LargestUpTo(kMostDim, sizes->second.low, sizes->second.stride);
    for (Bound& bound : bounds_) {
      if (!stated && !bound.taken && bound.symbol == symbol && asked_here(bound))
        open.push_back(&bound);
    }
  }
  std::map<std::string, int64_t> bounded = at;
  for (int exponent = kLargestBound; exponent >= kSmallestBound && !open.empty(); --exponent) {
    const int64_t most = int64_t{1} << exponent;
    for (const Bound* bound : open) {
      const Sizes& sizes = sizes_.at(bound->symbol);
      bounded[bound->symbol] = LargestUpTo(most, sizes.low, sizes.stride);
    }
    if (HoldsAt(exact, bounded) != true) continue;
    std::vector<Bound*> due;
    std::set<std::string> narrowed, listed;
    for (Bound* const bound : open) {
      if (sizes_.at(bound->symbol).high > most) narrowed.insert(bound->symbol);
      if (bound->most != most || !listed.insert(bound->symbol).second) continue;
      due.push_back(bound);
    }
    if (narrowed != listed) break;
    for (Bound* const bound : due) {
      bound->taken = true;
      sizes_.at(bound->symbol).high = at[bound->symbol] = bounded.at(bound->symbol);
    }
    break;
  }
  if (HoldsAt(exact, at) != false || !IsAdmitted(at)) return;
  failures_.push_back(absl::StrCat("`", exact.node,
                                   "`: its sizes go through floats or narrow integers, which are "
                                   "not exact within the bounds that are listed for it"));
}

// Whether what options say of dims that others define admits the sizes, and the least of all
// others.
bool Facts::IsAdmitted(std::map<std::string, int64_t> at) {
  for (const auto& [symbol, sizes] : sizes_) at.try_emplace(symbol, sizes.low);
  return std::all_of(allowed_.begin(), allowed_.end(),
                     [&](const Allowed& allowed) { return At(allowed.statement, at) == 1; });
}

bool Facts::Excludes(Dim statement, const std::string& symbol, int64_t next, bool above) {
  Terms& terms = session_.terms();
  const Term term = terms.terms()[statement];
  if (term.op == Operator::kAnd) {
    return Excludes(term.operands[0], symbol, next, above) ||
           Excludes(term.operands[1], symbol, next, above);
  }
  const bool less = term.op == Operator::kLe || term.op == Operator::kLt;
  const bool more = term.op == Operator::kGe || term.op == Operator::kGt;
  if (!less && !more) return false;
  const Dim low = term.operands[less ? 0 : 1], high = term.operands[less ? 1 : 0];
  const Operator op =
      term.op == Operator::kLt || term.op == Operator::kGt ? Operator::kLt : Operator::kLe;
  // What is at most the less of two is at most either.
  const Term least = terms.terms()[low], most = terms.terms()[high];
  if (least.op == Operator::kMax) {
    return Excludes(terms.Make(op, least.operands[0], high), symbol, next, above) ||
           Excludes(terms.Make(op, least.operands[1], high), symbol, next, above);
  }
  if (most.op == Operator::kMin) {
    return Excludes(terms.Make(op, low, most.operands[0]), symbol, next, above) ||
           Excludes(terms.Make(op, low, most.operands[1]), symbol, next, above);
  }
  if (SymbolsOf({statement}) != std::vector<std::string>{symbol}) return false;
  const Dim moving = terms.Symbol(symbol);
  const Way difference = Both(WayOf(terms, low, moving), Opposite(WayOf(terms, high, moving)));
  return difference == (above ? Way::kUp : Way::kDown) && At(statement, {{symbol, next}}) == 0;
}

bool Facts::EndsAt(const std::string& symbol, int64_t last, bool above) {
  Sizes& sizes = sizes_.at(symbol);
  const int64_t next = above ? last + sizes.stride : last - sizes.stride;
  const bool ends = std::any_of(allowed_.begin(), allowed_.end(), [&](const Allowed& allowed) {
    return Excludes(allowed.statement, symbol, next, above);
  });
  if (ends && above) sizes.high = sizes.declared = last;
  if (ends && !above) sizes.low = last;
  return ends;
}

// Whether it holds at the ends of all ranges, and next to them.
bool Facts::IsSilent(Dim statement) {
  std::vector<std::map<std::string, int64_t>> points{{}};
  for (const std::string& symbol : SymbolsOf({statement})) {
    const auto it = sizes_.find(symbol);
    if (it == sizes_.end()) return true;  // that it is none of a dim was said
    constexpr size_t kMostPoints = 81;
    std::vector<std::map<std::string, int64_t>> next;
    for (const auto& point : points) {
      for (const int64_t size :
           {it->second.low, it->second.low + it->second.stride, it->second.high}) {
        if (next.size() == kMostPoints) break;
        next.push_back(point);
        next.back()[symbol] = std::min(size, it->second.high);
      }
    }
    points = std::move(next);
  }
  return std::all_of(points.begin(), points.end(),
                     [&](const auto& point) { return At(statement, point) != 0; });
}

// The least sizes that are declared, where all facts hold of these; else any that satisfy them,
// which is checked with the statements.
void Facts::CompareWitness() {
  std::map<std::string, int64_t> least;
  for (const certificate::DeclaredSymbol& symbol : certificate_.symbols)
    least[symbol.name] = symbol.lo.value_or(0);
  for (const DeclaredFact& fact : certificate_.facts) {
    const absl::StatusOr<Dim> statement = session_.ReadDim(fact.statement);
    if (!statement.ok() || At(*statement, least).value_or(0) == 0) return;
  }
  for (const auto& [name, size] : least) {
    const auto here = certificate_.witness.find(name);
    if (here != certificate_.witness.end() && here->second == size) continue;
    failures_.push_back(absl::StrCat("the witness of `", name, "` is not ", size,
                                     ", the least size of which all facts hold"));
  }
}

std::vector<std::string> Facts::Compare() {
  CompareWitness();
  for (const Exactness& exact : session_.exactness()) TakeBounds(exact);
  for (const Bound& bound : bounds_) {
    // Of what is not derived, bounds are taken as they are; the report names it.
    if (!bound.taken && session_.left().empty())
      failures_.push_back(absl::StrCat("fact `", bound.statement, "` (", bound.origin,
                                       "): no sizes ask for that bound there"));
  }
  for (const Allowed& allowed : allowed_) session_.Say(allowed.statement);
  for (const Bound& bound : bounds_) {
    if (const absl::StatusOr<Dim> most = session_.ReadDim(bound.statement); most.ok())
      session_.Say(*most);
  }
  std::vector<bool> listed(allowed_.size());
  for (const DeclaredFact* const fact : others_) {
    const absl::StatusOr<Dim> statement = session_.ReadDim(fact->statement);
    if (!statement.ok()) continue;
    bool said = false;
    for (size_t i = 0; i < allowed_.size() && !said; ++i) {
      said = !listed[i] && allowed_[i].origin == fact->origin &&
             (session_.Same(allowed_[i].statement, *statement) ||
              session_.SameWhereAdmitted(allowed_[i].statement, *statement));
      if (!said) continue;
      listed[i] = true;
      if (allowed_[i].statement != *statement) session_.OweOfSizes(fact->origin, *statement);
    }
    if (!said)
      failures_.push_back(
          absl::StrCat("fact `", fact->statement, "` (", fact->origin, "): no option says it"));
  }
  for (size_t i = 0; i < allowed_.size(); ++i) {
    if (!listed[i] && !IsSilent(allowed_[i].statement))
      failures_.push_back(absl::StrCat("fact `", session_.terms().Text(allowed_[i].statement),
                                       "` (", allowed_[i].origin, ") is missing"));
  }
  return std::move(failures_);
}

}  // namespace tessera::recheck

#include "solver/certificate/smtlib.h"

#include <algorithm>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace tessera::certificate {
namespace {

// Terms shorter than this that are used once stand where they are used, others get a name.
constexpr size_t kMaxInline = 60;

std::string IntegerText(int64_t value) {
  if (value >= 0) return absl::StrCat(value);
  return absl::StrCat("(- ", uint64_t{0} - static_cast<uint64_t>(value), ")");
}

bool IsProposition(Operator op) {
  return op == Operator::kNot || (op >= Operator::kEq && op <= Operator::kOr);
}

bool IsDivision(Operator op) { return op >= Operator::kFloorDiv && op <= Operator::kTruncDiv; }

// Writes the terms of claims, and with each term the condition under which each divisor in it that
// is evaluated is >= 1.
class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  // The proposition that the claim holds.
  std::string Encode(const Claim& claim) {
    claim_ = &claim;
    CountUses();
    encoded_.assign(claim.statement.terms.size(), {});
    for (uint32_t i = 0; i <= claim.statement.root; ++i) {
      if (uses_[i] > 0) EncodeTerm(i);
    }
    const uint32_t root = claim.statement.root;
    return Both(encoded_[root].defined, Proposition(root));
  }

 private:
  struct Encoded {
    std::string text;
    std::string defined;  // empty: always
  };

  const Term& term(uint32_t i) const { return claim_->statement.terms[i]; }

  // The texts of several operators have an operand more than once.
  int Repeats(const Term& user) const {
    return IsDivision(user.op) || user.op == Operator::kMin || user.op == Operator::kMax ? 2 : 1;
  }
  void CountUses() {
    uses_.assign(claim_->statement.terms.size(), 0);
    uses_[claim_->statement.root] = 1;
    for (uint32_t i = claim_->statement.root + 1; i-- > 0;) {
      if (uses_[i] == 0) continue;
      for (int k = 0; k < Arity(term(i).op); ++k) uses_[term(i).operands[k]] += Repeats(term(i));
    }
  }

  static std::string Both(const std::string& a, const std::string& b) {
    if (a.empty() || a == b) return b;
    return b.empty() ? a : absl::StrCat("(and ", a, " ", b, ")");
  }

  std::string Named(const char* sort, std::string text) {
    std::string name = absl::StrCat("t", ++names_);
    absl::StrAppend(&out_, "(define-fun ", name, " () ", sort, " ", text, ")\n");
    return name;
  }
  // Conditions are used in several places.
  std::string NamedCondition(std::string text) {
    return text.size() <= kMaxInline ? text : Named("Bool", std::move(text));
  }

  std::string Integer(uint32_t i) const {
    if (IsProposition(term(i).op)) return absl::StrCat("(ite ", encoded_[i].text, " 1 0)");
    return encoded_[i].text;
  }
  std::string Proposition(uint32_t i) const {
    if (IsProposition(term(i).op)) return encoded_[i].text;
    if (term(i).op == Operator::kInteger) return term(i).value != 0 ? "true" : "false";
    return absl::StrCat("(not (= ", encoded_[i].text, " 0))");
  }

  void EncodeTerm(uint32_t i) {
    const Term& t = term(i);
    Encoded& result = encoded_[i];
    result.defined = NamedCondition(Definedness(t));
    if (t.op == Operator::kInteger) {
      result.text = IntegerText(t.value);
    } else if (t.op == Operator::kSymbol) {
      result.text = SmtLibName(claim_->statement.symbols[static_cast<size_t>(t.value)]);
    } else {
      result.text = Text(t);
      if (absl::StartsWith(result.text, "(") && (uses_[i] > 1 || result.text.size() > kMaxInline))
        result.text = Named(IsProposition(t.op) ? "Bool" : "Int", std::move(result.text));
    }
  }

  std::string Definedness(const Term& t) const {
    std::string defined;
    if (t.op == Operator::kIte || t.op == Operator::kAnd || t.op == Operator::kOr) {
      const uint32_t first = t.operands[0], second = t.operands[1], third = t.operands[2];
      const std::string& a = encoded_[second].defined;
      const std::string& b = t.op == Operator::kIte ? encoded_[third].defined : "";
      if (!a.empty() || !b.empty()) {
        const bool swapped = t.op == Operator::kOr;
        const std::string x = a.empty() ? "true" : a, y = b.empty() ? "true" : b;
        defined = absl::StrCat("(ite ", Proposition(first), " ", swapped ? y : x, " ",
                               swapped ? x : y, ")");
      }
      return Both(encoded_[first].defined, defined);
    }
    for (int k = 0; k < Arity(t.op); ++k) defined = Both(defined, encoded_[t.operands[k]].defined);
    if (!IsDivision(t.op)) return defined;
    const Term& divisor = term(t.operands[1]);
    if (divisor.op != Operator::kInteger)
      return Both(defined, absl::StrCat("(>= ", Integer(t.operands[1]), " 1)"));
    return divisor.value >= 1 ? defined : "false";
  }

  std::string Text(const Term& t) {
    const auto call = [&](const char* name, bool of_propositions = false) {
      std::string text = absl::StrCat("(", name);
      for (int k = 0; k < Arity(t.op); ++k)
        absl::StrAppend(&text, " ",
                        of_propositions ? Proposition(t.operands[k]) : Integer(t.operands[k]));
      return text + ")";
    };
    switch (t.op) {
      case Operator::kAdd:
        return call("+");
      case Operator::kSubtract:
      case Operator::kNegate:
        return call("-");
      case Operator::kMultiply:
        return call("*");
      case Operator::kAbs:
        return call("abs");
      case Operator::kEq:
        return call("=");
      case Operator::kNe:
        return call("distinct");
      case Operator::kLt:
        return call("<");
      case Operator::kLe:
        return call("<=");
      case Operator::kGt:
        return call(">");
      case Operator::kGe:
        return call(">=");
      case Operator::kNot:
        return call("not", true);
      case Operator::kAnd:
        return call("and", true);
      case Operator::kOr:
        return call("or", true);
      case Operator::kIte:
        return absl::StrCat("(ite ", Proposition(t.operands[0]), " ", Integer(t.operands[1]), " ",
                            Integer(t.operands[2]), ")");
      case Operator::kMin:
      case Operator::kMax: {
        const std::string a = Integer(t.operands[0]), b = Integer(t.operands[1]);
        return absl::StrCat("(ite (", t.op == Operator::kMin ? "<=" : ">=", " ", a, " ", b, ") ", a,
                            " ", b, ")");
      }
      default:
        return Division(t);
    }
  }

  // SMT-LIB's div is Euclidean, which is floordiv for divisors >= 1.
  std::string Division(const Term& t) {
    const Term& divisor = term(t.operands[1]);
    if (divisor.op == Operator::kInteger && divisor.value < 1) return "0";  // it is not defined
    const std::string b = Integer(t.operands[1]);
    std::string a = Integer(t.operands[0]);
    if (t.op == Operator::kTruncDiv) {
      return absl::StrCat("(ite (>= ", a, " 0) ", Quotient(a, b, divisor), " (- ",
                          Quotient(absl::StrCat("(- ", a, ")"), b, divisor), "))");
    }
    // ceil(a/b) = floor((a + b - 1)/b)
    if (t.op == Operator::kCeilDiv) a = absl::StrCat("(+ ", a, " ", OneLess(b, divisor), ")");
    const std::string quotient = Quotient(a, b, divisor);
    if (t.op != Operator::kMod) return quotient;
    return absl::StrCat("(- ", a, " (* ", b, " ", quotient, "))");
  }

  static std::string OneLess(const std::string& b, const Term& divisor) {
    return divisor.op == Operator::kInteger ? IntegerText(divisor.value - 1)
                                            : absl::StrCat("(- ", b, " 1)");
  }

  // By a constant b: a constant q with 0 <= a - b*q <= b - 1. Of 130 statements about shapes cvc5
  // 1.0.3 decides 122 so, and 100 with div.
  std::string Quotient(const std::string& a, const std::string& b, const Term& divisor) {
    if (divisor.op != Operator::kInteger) return absl::StrCat("(div ", a, " ", b, ")");
    const auto [it, added] = quotients_.emplace(std::make_pair(a, b), "");
    if (!added) return it->second;
    it->second = absl::StrCat("q", ++names_);
    const std::string& q = it->second;
    absl::StrAppend(&out_, "(declare-const ", q, " Int)\n(assert (<= 0 (- ", a, " (* ", b, " ", q,
                    ")) ", OneLess(b, divisor), "))\n");
    return q;
  }

  std::string& out_;
  const Claim* claim_ = nullptr;
  int names_ = 0;
  std::vector<int64_t> uses_;
  std::vector<Encoded> encoded_;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::string> quotients_;
};

void DeclareSymbol(const DeclaredSymbol& symbol, std::string& out) {
  const std::string name = SmtLibName(symbol.name);
  absl::StrAppend(&out, "(declare-const ", name, " Int)\n");
  if (symbol.lo) absl::StrAppend(&out, "(assert (<= ", IntegerText(*symbol.lo), " ", name, "))\n");
  if (symbol.hi) absl::StrAppend(&out, "(assert (<= ", name, " ", IntegerText(*symbol.hi), "))\n");
  if (symbol.stride == 1) return;
  // `multiple` cannot be a symbol's name, nor a term's.
  absl::StrAppend(&out, "(declare-const multiple", name, " Int)\n(assert (= ", name, " (+ (* ",
                  symbol.stride, " multiple", name, ") ", symbol.residue, ")))\n");
}

}  // namespace

std::string SmtLibName(std::string_view symbol) {
  std::string name = "$";
  for (const char c : symbol) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
      name += c;
    } else {
      absl::StrAppend(&name, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return name;
}

namespace {

std::string Query(const Problem& problem, const Problem::Neighbourhood& near,
                  absl::Span<const DeclaredSymbol> symbols, const Claim& claim) {
  std::string out = "(set-logic ALL)\n";
  for (const DeclaredSymbol& symbol : symbols) DeclareSymbol(symbol, out);
  Encoder encoder(out);
  for (uint32_t fact : near.facts) {
    const std::string text = encoder.Encode(problem.facts()[fact]);
    absl::StrAppend(&out, "(assert ", text, ")\n");
  }
  const std::string text = encoder.Encode(claim);
  absl::StrAppend(&out, "(assert (not ", text, "))\n(check-sat)\n");
  return out;
}

}  // namespace

std::string ToSmtLib(const Problem& problem, const Claim& claim) {
  const Problem::Neighbourhood near = problem.NeighbourhoodOf(claim);
  std::vector<DeclaredSymbol> symbols;
  for (uint32_t symbol : near.symbols) symbols.push_back(problem.symbols()[symbol]);
  return Query(problem, near, symbols, claim);
}

std::string ToWiderSmtLib(const Problem& problem, const Claim& claim) {
  const Problem::Neighbourhood near = problem.NeighbourhoodOf(claim);
  std::vector<DeclaredSymbol> symbols;
  bool wider = false;
  for (uint32_t symbol : near.symbols) {
    DeclaredSymbol& copy = symbols.emplace_back(problem.symbols()[symbol]);
    if (!copy.lo || *copy.lo <= 1) continue;
    copy.lo = 1;
    wider = true;
  }
  return wider ? Query(problem, near, symbols, claim) : "";
}

absl::Status FillSmtLib(Certificate& certificate) {
  const absl::StatusOr<Problem> problem = Problem::Read(certificate);
  if (!problem.ok()) return problem.status();
  absl::flat_hash_set<std::string> seen;  // statements: many recur
  std::vector<const std::string*> fresh;
  for (const Obligation& obligation : certificate.obligations) {
    if (seen.insert(obligation.statement).second) fresh.push_back(&obligation.statement);
  }
  // Each by itself, so that they may be written side by side; the first error counts.
  std::vector<std::string> texts(fresh.size());
  const auto fill = [&](size_t from, size_t to) -> absl::Status {
    for (size_t i = from; i < to; ++i) {
      const absl::StatusOr<Claim> claim = problem->ReadClaim(*fresh[i]);
      if (!claim.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("statement `", Shown(*fresh[i]), "`: ", claim.status().message()));
      }
      texts[i] = ToSmtLib(*problem, *claim);
    }
    return absl::OkStatus();
  };
  constexpr size_t kFew = 64, kMostParts = 4;
  const size_t parts = fresh.size() < kFew
                           ? 1
                           : std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostParts);
  std::vector<std::future<absl::Status>> rest;
  for (size_t k = 1; k < parts; ++k)
    rest.push_back(std::async(std::launch::async, fill, fresh.size() * k / parts,
                              fresh.size() * (k + 1) / parts));
  absl::Status status = fill(0, fresh.size() / parts);
  for (std::future<absl::Status>& part : rest) status.Update(part.get());
  if (!status.ok()) return status;
  size_t next = 0;
  for (Obligation& obligation : certificate.obligations) {
    const bool first = next < fresh.size() && fresh[next] == &obligation.statement;
    obligation.smt2 = first ? std::move(texts[next++]) : "";
  }
  return absl::OkStatus();
}

}  // namespace tessera::certificate

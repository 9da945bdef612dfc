#include "recheck/symbols.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recheck/declarations.h"
#include "recheck/facts.h"
#include "recheck/printed_size.h"
#include "solver/certificate/statement.h"

namespace tessera::recheck {
namespace {

using certificate::Certificate;
using certificate::DeclaredSymbol;
using certificate::Statement;
using certificate::Term;

// x with a * x mod m == 1, where there is one.
int64_t InverseOf(int64_t a, int64_t m) {
  int64_t b = m, x = 1, y = 0;
  while (a > 1) {
    const int64_t q = a / b;
    a = std::exchange(b, a % b);
    x = std::exchange(y, x - q * y);
    if (b == 0) break;
  }
  return (x % m + m) % m;
}

// low <= v <= high, v mod modulus == residue; low and high are such v.
struct Sizes {
  int64_t low = kLeastDim, high = kMostDim;
  int64_t modulus = 1, residue = 0;
  bool bounded = false;

  bool IsEmpty() const { return low > high; }
  void Tighten() {
    const auto up = [&](int64_t v) { return ((residue - v) % modulus + modulus) % modulus; };
    low += up(low);
    high -= (modulus - up(high)) % modulus;
  }
  void Bound(int64_t least, int64_t most) {
    low = bounded ? std::max(low, least) : least;
    high = std::min(high, most);
    bounded = true;
  }
  void Divide(int64_t other, int64_t rest) {
    // The first number that has both remainders; moduli are below 2^31.
    const int64_t g = std::gcd(modulus, other);
    if ((rest - residue) % g != 0) {
      low = 1;
      high = 0;
      return;
    }
    const int64_t step = other / g;
    const int64_t inverse = InverseOf(modulus / g % step, step);
    const int64_t gap = ((rest - residue) / g % step + step) % step;
    const auto t = static_cast<int64_t>(__int128{gap} * inverse % step);
    const __int128 first = residue + __int128{modulus} * t, both = __int128{modulus} * step;
    if (both > (int64_t{1} << 62)) {
      low = std::max<int64_t>(low, static_cast<int64_t>(first));
      high = std::min<int64_t>(high, static_cast<int64_t>(first));
      return;
    }
    residue = static_cast<int64_t>(first);
    modulus = static_cast<int64_t>(both);
  }
};

// How a name of a dim is spelled as a symbol.
std::string Plain(const std::string& name) {
  std::string plain;
  for (const char c : name)
    plain.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_');
  return plain;
}

class Comparison {
 public:
  Comparison(const Certificate& certificate, Session& session)
      : certificate_(certificate), session_(session), facts_(certificate, session) {
    for (const auto& [name, dim] : session.named_dims()) roots_[name] = name;
    for (const Session::Definition& definition : session.definitions()) {
      if (!definition.value) Join(definition.name, definition.other);
    }
  }

  std::vector<std::string> Run() {
    for (const std::string& option : certificate_.options) Take(option);
    for (const auto& [name, dim] : session_.named_dims()) {
      // A dim that is called like an expression of others is that.
      if (IsExpression(name)) definitions_.emplace(Root(name), Definition{name, std::nullopt});
    }
    for (const Session::Definition& definition : session_.definitions()) {
      if (definition.value)
        definitions_.emplace(Root(definition.name), Definition{"", definition.value});
    }
    std::map<std::string, std::vector<std::string>> members;
    for (const auto& [name, dim] : session_.named_dims()) members[Root(name)].push_back(name);
    for (const auto& [root, names] : members) Compare(root, names);
    for (const Session::Counted& counted : session_.counted()) CompareCounted(counted);
    for (const Declared& bound : bounds_) CompareBound(bound);
    for (const End& end : ends_) CompareEnd(end);
    for (const auto& [statement, option] : session_.relations()) facts_.Allow(statement, option);
    for (const DeclaredSymbol& symbol : certificate_.symbols) {
      if (!dim_of_.contains(symbol.name) && !IsPosition(symbol))
        Fail("symbol `", symbol.name, "` is no dim of an input");
    }
    for (std::string& failure : facts_.Compare()) failures_.push_back(std::move(failure));
    return std::move(failures_);
  }

 private:
  template <class... Parts>
  void Fail(const Parts&... parts) {
    failures_.push_back(absl::StrCat(parts...));
  }

  std::optional<std::string> Find(const std::string& name) const {
    if (roots_.contains(name)) return name;
    std::optional<std::string> found;
    for (const auto& [other, root] : roots_) {
      if (Plain(other) != name) continue;
      if (found) return std::nullopt;
      found = other;
    }
    return found;
  }
  const std::string& Root(const std::string& name) const {
    const std::string* root = &roots_.at(name);
    while (roots_.at(*root) != *root) root = &roots_.at(*root);
    return *root;
  }

  void Join(const std::string& name, const std::string& other) {
    const std::string a = Root(name), b = Root(other);
    roots_[std::max(a, b)] = std::min(a, b);
  }

  void Take(const std::string& option) {
    const std::optional<Declaration> said = ReadDeclaration(option);
    if (!said) return Fail("option `", option, "` says nothing of sizes");
    if (said->kind == Declaration::kNone) return;
    const auto& related = session_.relations();
    const bool is_related = std::any_of(related.begin(), related.end(),
                                        [&](const auto& each) { return each.second == option; });
    if (is_related) return;  // of a size that data decide, or of several
    if (said->kind == Declaration::kRelation) {
      Fail("option `", option, "`: the model does not say so");
      return;
    }
    const std::optional<std::string> dim = Find(said->name);
    if (!dim) return Fail("option `", option, "`: the model has no dim `", said->name, "`");
    if (!said->lower.empty() || !said->upper.empty()) bounds_.push_back({*dim, *said, option});
    if (!said->lower.empty()) return;
    declarations_.push_back({*dim, *said, option});
    if (said->kind != Declaration::kEqual) {
      if (absl::StartsWith(option, "assumed: ")) assumed_.emplace_back(*dim, option);
      return;
    }
    if (const std::optional<std::string> other = Find(said->other)) {
      Join(*dim, *other);
    } else {
      definitions_[Root(*dim)] = {said->other, std::nullopt};
    }
  }

  // In what a device computes, and of any value: what is stated for all of them is no weaker.
  bool IsPosition(const DeclaredSymbol& symbol) const {
    return symbol.lo == 0 && symbol.hi == INT32_MAX && symbol.stride == 1 &&
           std::none_of(certificate_.facts.begin(), certificate_.facts.end(),
                        [&](const certificate::DeclaredFact& fact) {
                          const absl::StatusOr<Statement> read =
                              certificate::ParseStatement(fact.statement);
                          return read.ok() && std::find(read->symbols.begin(), read->symbols.end(),
                                                        symbol.name) != read->symbols.end();
                        });
  }

  // An expression over dims, more than a name.
  std::optional<Dim> Read(const std::string& text, int depth = 0) {
    const absl::StatusOr<Statement> read = certificate::ParseStatement(AsStatement(text));
    if (!read.ok()) return std::nullopt;
    std::vector<Dim> symbols;
    for (const std::string& name : read->symbols) {
      const std::optional<std::string> dim = Find(name);
      if (!dim || name == text) return std::nullopt;
      const std::optional<Dim> meant = Meant(*dim, depth);
      if (!meant) return std::nullopt;
      symbols.push_back(*meant);
    }
    return symbols.empty() ? std::nullopt : std::optional(session_.terms().Import(*read, symbols));
  }
  bool IsExpression(const std::string& name) { return Read(name).has_value(); }

  // What model and options make of a dim, however it is listed: what is listed is compared with
  // that, and must not be what decides it. Nothing: it is defined by itself.
  std::optional<Dim> Meant(const std::string& name, int depth = 0) {
    constexpr int kDeepest = 64;
    const auto definition = definitions_.find(Root(name));
    if (definition == definitions_.end()) return session_.named_dims().at(name);
    if (definition->second.value) return definition->second.value;
    if (depth == kDeepest) return std::nullopt;
    return Read(definition->second.text, depth + 1);
  }

  void Compare(const std::string& root, const std::vector<std::string>& names) {
    const Dim dim = session_.named_dims().at(names[0]);
    for (const std::string& name : names) {
      if (session_.named_dims().at(name) != dim)
        Fail("dims `", names[0], "` and `", name, "` are equal by an option, but listed as `",
             Text(dim), "` and `", Text(session_.named_dims().at(name)), "`");
    }
    Sizes sizes;
    for (const auto& [name, said, option] : declarations_) {
      if (Root(name) != root) continue;
      if (said.kind == Declaration::kRange) sizes.Bound(said.low, said.high);
      if (said.kind == Declaration::kCongruence) sizes.Divide(said.modulus, said.residue);
    }
    if (const auto definition = definitions_.find(root); definition != definitions_.end())
      return CompareDefined(root, names, dim, definition->second);
    const Term& term = session_.terms().terms()[dim];
    if (term.op != Operator::kSymbol) return CompareNumber(names[0], dim, sizes);
    const std::string& symbol = session_.terms().symbols()[static_cast<size_t>(term.value)];
    const auto [first, fresh] = dim_of_.emplace(symbol, names[0]);
    if (!fresh)
      return Fail("dims `", first->second, "` and `", names[0],
                  "` are one symbol, which no option says");
    const auto declared = std::find_if(certificate_.symbols.begin(), certificate_.symbols.end(),
                                       [&](const DeclaredSymbol& s) { return s.name == symbol; });
    if (declared == certificate_.symbols.end()) return;  // reading the statements has failed
    CompareSymbol(*declared, names, sizes);
  }

  // Of a symbol, an end of what model and options say of it alone, and what the certificate has
  // there. What they say of what is computed from it may leave less.
  struct End {
    std::string symbol;
    bool above;
    int64_t listed, said;
  };

  void CompareEnd(const End& end) {
    const bool narrower = end.above ? end.listed < end.said : end.listed > end.said;
    if (end.listed == end.said || (narrower && facts_.EndsAt(end.symbol, end.listed, end.above)))
      return;
    Fail("symbol `", end.symbol, "`: the ", end.above ? "largest" : "least", " size is ",
         end.listed, ", model and options say ", end.said);
  }

  void CompareNumber(const std::string& name, Dim dim, Sizes sizes) {
    const std::optional<int64_t> number = session_.terms().Number(dim);
    sizes.Tighten();
    if (!number || sizes.low != *number || sizes.high != *number)
      Fail("dim `", name, "` is listed as `", Text(dim), "`, which no option says");
  }

  struct Declared {
    std::string dim;
    Declaration said;
    std::string option;
  };
  // By an expression over names of dims, or by one that the model has.
  struct Definition {
    std::string text;
    std::optional<Dim> value;
  };

  void CompareDefined(const std::string& root, const std::vector<std::string>& names, Dim dim,
                      const Definition& definition) {
    const std::string& name = names[0];
    const std::string& text = definition.text;
    const std::optional<Dim> defined = definition.value ? definition.value : Read(text);
    if (!defined) {
      session_.Leave(name, absl::StrCat("a dim that is defined as `", text, "`"));
      return;
    }
    if (!session_.Same(*defined, dim) && !session_.SameWhereAdmitted(*defined, dim))
      return Fail("dim `", name, "` is listed as `", Text(dim), "`, it is defined as `",
                  text.empty() ? Text(*defined) : text, "`");
    if (*defined != dim)
      session_.OweOfSizes(name, session_.terms().Make(Operator::kEq, *defined, dim));
    Terms& terms = session_.terms();
    const auto at_least = [&](int64_t v) {
      return terms.Make(Operator::kGe, *defined, terms.Integer(v));
    };
    facts_.Allow(at_least(0), session_.origins().at(FirstOf(names)).text);
    for (const auto& [other, said, option] : declarations_) {
      if (Root(other) != root || said.kind == Declaration::kEqual) continue;
      const bool range = said.kind == Declaration::kRange;
      const Dim most =
          terms.Make(Operator::kLe, *defined, terms.Integer(range ? said.high : kMostDim));
      const Dim rest = terms.Make(Operator::kMod, *defined, terms.Integer(said.modulus));
      facts_.Allow(terms.Make(Operator::kAnd, at_least(range ? said.low : 0), most), option);
      facts_.Allow(terms.Make(Operator::kEq, rest, terms.Integer(said.residue)), option);
    }
  }

  // An end of a range that is an expression is a fact.
  void CompareBound(const Declared& bound) {
    const bool is_lower = !bound.said.lower.empty();
    const std::string& text = is_lower ? bound.said.lower : bound.said.upper;
    const std::optional<std::string> name = Find(text);
    const std::optional<Dim> end = name ? Meant(*name) : Read(text);
    const std::optional<Dim> bounded = Meant(bound.dim);
    if (!end || !bounded)
      return Fail("option `", bound.option, "`: `", text, "` is no expression over dims");
    facts_.Allow(session_.terms().Make(is_lower ? Operator::kGe : Operator::kLe, *bounded, *end),
                 bound.option);
  }

  void CompareSymbol(const DeclaredSymbol& declared, const std::vector<std::string>& names,
                     Sizes sizes) {
    sizes.Tighten();
    facts_.Declare(declared.name, sizes.low, sizes.high, sizes.modulus);
    sizes.high = facts_.MostOf(declared.name, sizes.high, sizes.modulus, sizes.residue);
    ends_.push_back({declared.name, false, declared.lo.value_or(INT64_MIN), sizes.low});
    ends_.push_back({declared.name, true, declared.hi.value_or(INT64_MAX), sizes.high});
    const auto differ = [&](const char* what, int64_t here, int64_t expected) {
      if (here != expected)
        Fail("symbol `", declared.name, "`: ", what, " is ", here, ", model and options say ",
             expected);
    };
    differ("the stride", declared.stride, sizes.modulus);
    differ("the remainder", declared.residue, sizes.residue);
    CompareOrigin(declared, names);
  }

  void CompareCounted(const Session::Counted& counted) {
    const auto [dim, fresh] = dim_of_.emplace(counted.symbol, counted.symbol);
    if (!fresh) Fail("symbol `", counted.symbol, "` is a dim of an input, data do not decide it");
    const auto declared =
        std::find_if(certificate_.symbols.begin(), certificate_.symbols.end(),
                     [&](const DeclaredSymbol& s) { return s.name == counted.symbol; });
    Terms& terms = session_.terms();
    const int64_t low = declared->lo.value_or(0);
    const Dim least = terms.Make(Operator::kGe, counted.size, terms.Integer(low));
    const auto& related = session_.relations();
    const Dim stated = terms.Make(Operator::kLe, terms.Integer(low), counted.size);
    const bool said = std::any_of(related.begin(), related.end(), [&](const auto& each) {
      return each.first == least || each.first == stated;
    });
    if (!declared->lo || low < 0 || (low > 0 && !said) ||
        declared->hi.value_or(INT64_MAX) > kMostDim || declared->stride != 1)
      Fail("symbol `", counted.symbol, "`, which data decide, is not any size from 0 on");
    facts_.Declare(counted.symbol, low, declared->hi.value_or(kMostDim), 1);
    if (!terms.Number(counted.most))
      facts_.Allow(terms.Make(Operator::kLe, counted.size, counted.most), counted.origin);
  }

  // The name that stands first in the model.
  const std::string& FirstOf(const std::vector<std::string>& names) const {
    return *std::min_element(
        names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
          return session_.origins().at(a).order < session_.origins().at(b).order;
        });
  }

  // Where the first of its names stands first, and what was assumed of them.
  void CompareOrigin(const DeclaredSymbol& declared, const std::vector<std::string>& names) {
    const std::string& first = FirstOf(names);
    std::multiset<std::string> said, options;
    std::string_view rest = declared.origin;
    constexpr std::string_view kBehind = "; assumed: ";
    for (size_t at = rest.rfind(kBehind); at != std::string_view::npos; at = rest.rfind(kBehind)) {
      said.emplace(rest.substr(at + 2));
      rest = rest.substr(0, at);
    }
    for (const auto& [name, option] : assumed_) {
      if (Root(name) == Root(names[0])) options.insert(option);
    }
    if (rest != session_.origins().at(first).text || said != options)
      Fail("symbol `", declared.name, "` is said to be ", declared.origin, ", which it is not");
  }

  std::string Text(Dim dim) const { return session_.terms().Text(dim); }

  const Certificate& certificate_;
  Session& session_;
  std::map<std::string, std::string> roots_;  // of dims that are equal
  std::vector<Declared> declarations_;
  std::vector<Declared> bounds_;  // by expressions
  std::vector<End> ends_;
  std::vector<std::pair<std::string, std::string>> assumed_;  // options, by dim
  std::map<std::string, Definition> definitions_;             // by root
  std::map<std::string, std::string> dim_of_;                 // by symbol
  Facts facts_;
  std::vector<std::string> failures_;
};

}  // namespace

std::vector<std::string> CheckSymbols(const Certificate& certificate, Session& session) {
  return Comparison(certificate, session).Run();
}

}  // namespace tessera::recheck

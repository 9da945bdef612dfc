#include "solver/data_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "solver/decide.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace {

constexpr absl::string_view kDecided = "data decide it, at ";

using Values = std::map<std::string, Expr, std::less<>>;

// A number, or what the fact says that came with the declaration.
Expr Greatest(Context& context, const SymbolInfo& symbol) {
  for (const Fact& fact : context.facts()) {
    if (fact.origin != symbol.origin) continue;
    const std::optional<std::pair<Syntax, Syntax>> sides = SidesOf(DerivationOf(fact.predicate));
    if (sides && Build(context, sides->first) == context.Symbol(symbol.name))
      return Build(context, sides->second);
  }
  return Expr(symbol.range.hi);
}

}  // namespace

bool IsDataSizeOrigin(absl::string_view origin) { return absl::StartsWith(origin, kDecided); }

std::string DataSizeOrigin(absl::string_view place) { return absl::StrCat(kDecided, place); }

bool IsDataSize(const Context& context, std::string_view symbol) {
  const SymbolInfo* const info = context.Find(symbol);
  return info != nullptr && IsDataSizeOrigin(info->origin);
}

bool HasDataSize(const Context& context, const Expr& e) {
  const std::vector<std::string> symbols = SymbolsOf(e);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& name) { return IsDataSize(context, name); });
}

Expr AtExtreme(Context& context, Expr e, bool greatest) {
  // What bounds one may be another that was counted before.
  for (size_t rounds = context.symbols().size(); rounds > 0; --rounds) {
    Values values;
    for (const std::string& name : SymbolsOf(e)) {
      if (!IsDataSize(context, name)) continue;
      const SymbolInfo& symbol = *context.Find(name);
      values.emplace(name, greatest ? Greatest(context, symbol) : Expr(symbol.range.lo));
    }
    if (values.empty()) break;
    e = Substitute(e, values);
  }
  return e;
}

bool HoldsForSomeData(Context& context, const Expr& predicate) {
  const auto holds = [&](bool greatest) {
    return Decide(context, AtExtreme(context, predicate, greatest)).kind == Verdict::kProved;
  };
  return HasDataSize(context, predicate) && (holds(false) || holds(true));
}

}  // namespace tessera::solver

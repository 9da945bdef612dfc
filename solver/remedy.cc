#include "solver/remedy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "solver/copy.h"
#include "solver/data_sizes.h"
#include "solver/decide.h"
#include "solver/store.h"

namespace tessera::solver {
namespace {

constexpr int64_t kLargestModulus = 64;
// A least size up to here makes remainders needless.
constexpr int64_t kFewSizes = 64;
// The same for remainders other than 0 of several symbols.
constexpr int64_t kLargestWithRemainder = 8;
// Characters of what a symbol is said to equal.
constexpr size_t kLongestDefinition = 80;
// Sizes beyond which no bound is looked for.
constexpr int64_t kScanned = 4096;
// The same where two symbols are varied independently.
constexpr int64_t kScannedPairs = 128;
// Symbols of a proposition among which those are looked for that need declarations together.
constexpr size_t kMostSymbols = 4;
// All that is tried for one proposition, in steps of Store::work: a few tenths of a second. What
// networks require takes a hundredth of it.
constexpr uint64_t kMostWork = 4'000'000;

constexpr char kPayload[] = "tessera/remedy";
constexpr char kConstraintPayload[] = "tessera/constraint";

class Finder {
 public:
  Finder(const Context& context, const Expr& predicate, const Assignment& counterexample)
      : context_(context), predicate_(predicate), counterexample_(counterexample) {}

  std::vector<Remedy> Run() {
    std::vector<std::string> symbols = SymbolsOf(predicate_);
    std::vector<Remedy> remedies;
    const auto first = [&](auto find) {
      for (const std::string& symbol : symbols) {
        if (std::optional<std::string> found = find(symbol)) {
          remedies.push_back({*std::move(found)});
          return;
        }
      }
    };
    first([&](const std::string& symbol) { return AtLeast(symbol); });
    if (remedies.empty()) {
      if (std::optional<std::string> least = AtLeastOthers(symbols))
        remedies.push_back({*std::move(least)});
    }
    first([&](const std::string& symbol) { return EqualToAnother(symbol, symbols); });
    if (std::optional<std::string> sum = EqualToSum(symbols)) remedies.push_back({*std::move(sum)});
    // Where all but few small sizes serve, a remainder would exclude as many as it admits.
    const bool few = std::any_of(least_.begin(), least_.end(),
                                 [](const auto& least) { return least.second <= kFewSizes; });
    if (!few) first([&](const std::string& symbol) { return Congruent(symbol); });
    if (!remedies.empty()) return remedies;
    std::vector<Group> groups;
    if (symbols.size() <= kMostSymbols) groups = Groups(symbols);
    for (const Group& group : groups) {
      for (const auto find : {&Finder::AllAtLeast, &Finder::AllCongruent}) {
        if (std::optional<Remedy> found = (this->*find)(group)) return {*std::move(found)};
      }
    }
    if (std::optional<Remedy> equal = TwoEqualities(symbols)) return {*std::move(equal)};
    // These leave few sizes.
    first([&](const std::string& symbol) { return AtMost(symbol); });
    if (!remedies.empty()) return remedies;
    for (auto symbol = symbols.rbegin(); symbol != symbols.rend(); ++symbol)
      groups.insert(groups.begin(), {*symbol});
    for (const Group& group : groups) {
      if (std::optional<Remedy> found = Within(group)) return {*std::move(found)};
    }
    return {};
  }

 private:
  using Group = std::vector<std::string>;

  template <class F>
  bool HoldsWith(F fact) const {
    if (work_ > kMostWork) return false;
    const std::unique_ptr<Context> trial = Copy(context_);
    const bool holds = trial->Assume(fact(*trial), "").ok() &&
                       Decide(*trial, Transfer(*trial, predicate_)).kind == Verdict::kProved;
    work_ += trial->store().work;
    return holds;
  }

  // No value: not defined there, or no more is tried.
  std::optional<bool> HoldsAt(const Assignment& assignment) const {
    if (work_ > kMostWork) return std::nullopt;
    const uint64_t before = context_.store().work;
    const absl::StatusOr<int64_t> result = Evaluate(predicate_, assignment);
    work_ += assignment.size() + context_.store().work - before;
    if (!result.ok()) return std::nullopt;
    return *result != 0;
  }

  // The others as in the counterexample.
  std::optional<bool> HoldsAt(const std::string& symbol, int64_t value) const {
    Assignment assignment = counterexample_;
    assignment[symbol] = value;
    return HoldsAt(assignment);
  }

  std::optional<std::string> EqualToAnother(const std::string& symbol,
                                            const std::vector<std::string>& symbols) const {
    for (const std::string& other : symbols) {
      if (other == symbol) return std::nullopt;  // each pair once
      if (HoldsWith([&](Context& c) { return Eq(c.Symbol(other), c.Symbol(symbol)); })) {
        return absl::StrCat(other, "=", symbol);
      }
    }
    return std::nullopt;
  }

  // Two pairs of equal symbols, as where both have the same product.
  std::optional<Remedy> TwoEqualities(const std::vector<std::string>& symbols) const {
    if (symbols.size() > kMostSymbols) return std::nullopt;
    std::vector<Group> pairs;
    for (size_t i = 0; i < symbols.size(); ++i) {
      for (size_t j = i + 1; j < symbols.size(); ++j) pairs.push_back({symbols[i], symbols[j]});
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
      for (size_t j = i + 1; j < pairs.size(); ++j) {
        const bool apart = std::find_first_of(pairs[i].begin(), pairs[i].end(), pairs[j].begin(),
                                              pairs[j].end()) == pairs[i].end();
        if (!apart || !HoldsWith([&](Context& c) {
              const auto equal = [&](const Group& pair) {
                return Eq(c.Symbol(pair[0]), c.Symbol(pair[1]));
              };
              return And(equal(pairs[i]), equal(pairs[j]));
            }))
          continue;
        return Remedy{absl::StrCat(pairs[i][0], "=", pairs[i][1]),
                      absl::StrCat(pairs[j][0], "=", pairs[j][1])};
      }
    }
    return std::nullopt;
  }

  // What one of the equations in the predicate says of a symbol that is a term of it: `S=P+T`.
  std::optional<std::string> EqualToSum(const std::vector<std::string>& symbols) const {
    std::vector<Expr> equations;
    Collect(ExprKind::kEqZero, predicate_, 0, equations);
    for (const bool only_sums : {true, false}) {
      for (const Expr& equation : equations) {
        const View terms(equation);
        if (terms.kind() != ExprKind::kSum) continue;
        for (size_t i = 0; i < terms.size(); ++i) {
          const View term(terms.child(i));
          const int64_t sign = terms.coefficient(i);
          if (term.kind() != ExprKind::kSymbol || (sign != 1 && sign != -1)) continue;
          const std::string symbol(term.symbol());
          if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) continue;
          if (only_sums && !IsSum(terms, i)) continue;
          const Expr value = (terms.child(i) * sign - equation) * sign;
          if (std::optional<std::string> found = EqualTo(symbol, value, symbols)) return found;
        }
      }
    }
    return std::nullopt;
  }

  // What one of the comparisons says of the least size of a symbol: `L=N+1..`.
  std::optional<std::string> AtLeastOthers(const std::vector<std::string>& symbols) const {
    std::vector<Expr> comparisons;
    Collect(ExprKind::kGeZero, predicate_, 0, comparisons);
    for (const Expr& comparison : comparisons) {
      const View terms(comparison);
      if (terms.kind() != ExprKind::kSum) continue;
      for (size_t i = 0; i < terms.size(); ++i) {
        const View term(terms.child(i));
        if (term.kind() != ExprKind::kSymbol || terms.coefficient(i) != 1) continue;
        const std::string symbol(term.symbol());
        const std::optional<std::string> least =
            Definition(symbol, terms.child(i) - comparison, symbols);
        if (least && HoldsWith([&](Context& c) {
              return Ge(c.Symbol(symbol), Transfer(c, terms.child(i) - comparison));
            }))
          return absl::StrCat(symbol, "=", *least, "..");
      }
    }
    return std::nullopt;
  }

  // Those that stand alone, or are alternatives: what `if` they hold is not asked.
  static void Collect(ExprKind kind, const Expr& e, int depth, std::vector<Expr>& found) {
    constexpr int kDepth = 8;
    constexpr size_t kMost = 16;
    const View view(e);
    if (view.kind() == kind) found.push_back(view.child(0));
    // What is not >= 0: `N < L` may be stored as `!(N >= L)`.
    const bool negates = view.kind() == ExprKind::kSum && view.constant() == 1 &&
                         view.size() == 1 && view.coefficient(0) == -1;
    if (kind == ExprKind::kGeZero && negates && View(view.child(0)).kind() == kind)
      found.push_back(-View(view.child(0)).child(0) - 1);
    for (size_t i = 0; i < view.size() && depth < kDepth && found.size() < kMost; ++i)
      Collect(kind, view.child(i), depth + 1, found);
  }

  // Whether all terms but `except` have the sign that makes that one a sum of them.
  static bool IsSum(const View& terms, size_t except) {
    const bool positive = terms.coefficient(except) < 0;
    if (terms.constant() != 0 && (terms.constant() > 0) != positive) return false;
    for (size_t i = 0; i < terms.size(); ++i) {
      if (i != except && (terms.coefficient(i) > 0) != positive) return false;
    }
    return true;
  }

  std::optional<std::string> EqualTo(const std::string& symbol, const Expr& value,
                                     const std::vector<std::string>& symbols) const {
    if (View(value).kind() == ExprKind::kSymbol) return std::nullopt;
    const std::optional<std::string> text = Definition(symbol, value, symbols);
    if (!text || !HoldsWith([&](Context& c) { return Eq(c.Symbol(symbol), Transfer(c, value)); }))
      return std::nullopt;
    return absl::StrCat(symbol, "=", *text);
  }

  // The text of what a symbol may be said to be; nothing: it is none over other symbols.
  static std::optional<std::string> Definition(const std::string& symbol, const Expr& value,
                                               const std::vector<std::string>& symbols) {
    if (value.IsConstant() || value.IsInvalid()) return std::nullopt;
    for (const std::string& name : SymbolsOf(value)) {
      const bool known = std::find(symbols.begin(), symbols.end(), name) != symbols.end();
      if (name == symbol || !known) return std::nullopt;
    }
    std::string text = absl::StrReplaceAll(value.ToString(), {{" ", ""}});
    // Comparisons are no part of a declaration.
    if (text.size() > kLongestDefinition || absl::StrContains(text, "=")) return std::nullopt;
    return text;
  }

  // The least modulus, with its least remainder.
  std::optional<std::string> Congruent(const std::string& symbol) const {
    // Cheaply first: at three values of the class at most, and those not all that there are.
    std::vector<bool> fails(4 * kLargestModulus);
    for (size_t i = 0; i < fails.size(); ++i)
      fails[i] = HoldsAt(symbol, static_cast<int64_t>(i)) == std::optional<bool>(false);
    const auto least = least_.find(symbol);
    for (int64_t modulus = 2; modulus <= kLargestModulus; ++modulus) {
      // Its multiples are merely large enough.
      if (least != least_.end() && modulus >= least->second) return std::nullopt;
      for (int64_t residue = 0; residue < modulus; ++residue) {
        const auto at = static_cast<size_t>(modulus + residue), step = static_cast<size_t>(modulus);
        if (fails[at] || fails[at + step] || fails[at + 2 * step]) continue;
        if (HoldsWith([&](Context& c) { return Eq(Mod(c.Symbol(symbol), modulus), residue); })) {
          return absl::StrCat(symbol, "%", modulus, "=", residue);
        }
      }
    }
    return std::nullopt;
  }

  // The range of `symbol` that is looked at.
  Range Scanned(const std::string& symbol) const {
    const SymbolInfo* info = context_.Find(symbol);
    if (info == nullptr || info->range.lo == Range::kNegInf) return {0, -1};
    return {info->range.lo, std::min(info->range.hi, info->range.lo + kScanned)};
  }

  std::optional<std::string> AtLeast(const std::string& symbol) {
    const Range range = Scanned(symbol);
    int64_t least = range.hi + 1;
    while (least > range.lo && HoldsAt(symbol, least - 1) != std::optional<bool>(false)) --least;
    if (least == range.lo || least > range.hi ||
        !HoldsWith([&](Context& c) { return Ge(c.Symbol(symbol), least); }))
      return std::nullopt;
    least_[symbol] = least;
    return absl::StrCat(symbol, "=", least, "..");
  }

  std::optional<std::string> AtMost(const std::string& symbol) const {
    const Range range = Scanned(symbol);
    int64_t most = range.lo - 1;
    while (most < range.hi && HoldsAt(symbol, most + 1) != std::optional<bool>(false)) ++most;
    // What breaks it may lie beyond those that are looked at.
    const auto broken = counterexample_.find(symbol);
    if (most == range.hi)
      most = broken == counterexample_.end() ? most : std::max(most, broken->second - 1);
    if (most < range.lo || most == range.hi ||
        !HoldsWith([&](Context& c) { return Le(c.Symbol(symbol), most); }))
      return std::nullopt;
    return most == range.lo ? absl::StrCat(symbol, "=", NextSingle(symbol, most))
                            : absl::StrCat(symbol, "=", range.lo, "..", most);
  }

  // Where one size alone remains, the next one for which it holds too, if there is one: less is
  // broadcast than with the least, which mostly is 1.
  int64_t NextSingle(const std::string& symbol, int64_t least) const {
    const int64_t last = Scanned(symbol).hi;
    for (int64_t value = least + 1; value <= last; ++value) {
      if (HoldsAt(symbol, value) != std::optional<bool>(true)) continue;
      return HoldsWith([&](Context& c) { return Eq(c.Symbol(symbol), value); }) ? value : least;
    }
    return least;
  }

  // Pairs, then triples.
  static std::vector<Group> Groups(const std::vector<std::string>& symbols) {
    std::vector<Group> pairs, triples;
    for (size_t i = 0; i < symbols.size(); ++i) {
      for (size_t j = i + 1; j < symbols.size(); ++j) {
        pairs.push_back({symbols[i], symbols[j]});
        for (size_t k = j + 1; k < symbols.size(); ++k)
          triples.push_back({symbols[i], symbols[j], symbols[k]});
      }
    }
    pairs.insert(pairs.end(), triples.begin(), triples.end());
    return pairs;
  }

  // Values of a group's symbols, in its order, the others as in the counterexample.
  bool HoldsAt(const Group& group, const std::vector<int64_t>& values) const {
    Assignment assignment = counterexample_;
    for (size_t i = 0; i < group.size(); ++i) {
      const SymbolInfo* info = context_.Find(group[i]);
      if (info == nullptr || !info->range.Contains(values[i])) return false;
      const int64_t stride = info->congruence.stride;
      if (stride > 1 && values[i] % stride != info->congruence.residue) return false;
      assignment[group[i]] = values[i];
    }
    return HoldsAt(assignment) == std::optional<bool>(true);
  }

  template <class F>
  bool HoldsForAll(const Group& group, F fact) const {
    return HoldsWith([&](Context& c) {
      Expr all = 1;
      for (size_t i = 0; i < group.size(); ++i) all = And(all, fact(c.Symbol(group[i]), i));
      return all;
    });
  }

  std::optional<Remedy> AllCongruent(const Group& group) const {
    for (int64_t modulus = 2; modulus <= kLargestModulus; ++modulus) {
      for (int64_t residue = 0; residue < (modulus <= kLargestWithRemainder ? modulus : 1);
           ++residue) {
        if (std::optional<Remedy> found = AllCongruent(group, modulus, residue)) return found;
      }
    }
    return std::nullopt;
  }

  std::optional<Remedy> AllCongruent(const Group& group, int64_t modulus, int64_t residue) const {
    // Cheaply first: with the residue 0 at (m, m, ...), (2m, m, ...), (m, 2m, ...), ...
    for (size_t further = 0; further <= group.size(); ++further) {
      std::vector<int64_t> values(group.size(), modulus + residue);
      if (further < group.size()) values[further] += modulus;
      for (size_t i = 0; i < group.size(); ++i) {
        const SymbolInfo* info = context_.Find(group[i]);
        while (info != nullptr && values[i] < info->range.lo && values[i] < kScanned)
          values[i] += modulus;
      }
      if (!HoldsAt(group, values)) return std::nullopt;
    }
    if (!HoldsForAll(group,
                     [&](const Expr& size, size_t) { return Eq(Mod(size, modulus), residue); }))
      return std::nullopt;
    Remedy remedy;
    // Some may need less.
    std::vector<int64_t> moduli(group.size(), modulus);
    for (int64_t& one : moduli) {
      for (int64_t divisor = 1; divisor < modulus; ++divisor) {
        if (modulus % divisor != 0) continue;
        one = divisor;
        if (HoldsForAll(group, [&](const Expr& size, size_t i) {
              return Eq(Mod(size, moduli[i]), residue % moduli[i]);
            }))
          break;
        one = modulus;
      }
    }
    for (size_t i = 0; i < group.size(); ++i) {
      if (moduli[i] > 1)
        remedy.push_back(absl::StrCat(group[i], "%", moduli[i], "=", residue % moduli[i]));
    }
    return remedy;
  }

  std::optional<Remedy> AllAtLeast(const Group& group) const {
    int64_t last_failure = 0;
    for (int64_t value = 1; value <= kScanned; ++value) {
      if (!HoldsAt(group, std::vector<int64_t>(group.size(), value))) last_failure = value;
    }
    const int64_t least = last_failure + 1;
    if (least >= kScanned ||
        !HoldsForAll(group, [&](const Expr& size, size_t) { return Ge(size, least); }))
      return std::nullopt;
    // Each as far down as the others let it.
    std::vector<int64_t> bounds(group.size(), least);
    for (size_t k = 0; k < group.size(); ++k) {
      const SymbolInfo* info = context_.Find(group[k]);
      int64_t below = info == nullptr ? 0 : info->range.lo - 1;
      while (bounds[k] - below > 1) {
        const int64_t known = bounds[k], middle = below + (known - below) / 2;
        bounds[k] = middle;
        if (HoldsForAll(group, [&](const Expr& size, size_t i) { return Ge(size, bounds[i]); }))
          continue;
        bounds[k] = known;
        below = middle;
      }
    }
    Remedy remedy;
    for (size_t i = 0; i < group.size(); ++i)
      remedy.push_back(absl::StrCat(group[i], "=", bounds[i], ".."));
    return remedy;
  }

  // Intervals about one point where it holds: one with all values equal, else one of a pair with
  // the values close together.
  std::optional<Remedy> Within(const Group& group) const {
    std::vector<int64_t> point;
    for (int64_t value = 0; value <= kScanned && point.empty(); ++value) {
      std::vector<int64_t> equal(group.size(), value);
      if (HoldsAt(group, equal)) point = std::move(equal);
    }
    if (point.empty() && group.size() == 2) {
      for (int64_t sum = 1; sum <= kScannedPairs && point.empty(); ++sum) {
        for (int64_t less = sum / 2; less >= 0 && point.empty(); --less) {
          if (HoldsAt(group, {less, sum - less})) point = {less, sum - less};
        }
      }
    }
    if (point.empty()) return std::nullopt;
    std::vector<int64_t> last = point;
    for (bool grows = true; grows && last[0] - point[0] < kScanned;) {
      for (int64_t& value : last) ++value;
      grows = HoldsAt(group, last);
    }
    for (int64_t& value : last) --value;
    // The whole interval, if that is enough to prove it, else its last point.
    for (const std::vector<int64_t>& first : {point, last}) {
      if (!HoldsForAll(group, [&](const Expr& size, size_t i) {
            return And(Ge(size, first[i]), Le(size, last[i]));
          }))
        continue;
      if (group.size() == 1 && first == last)
        return Remedy{absl::StrCat(group[0], "=", NextSingle(group[0], last[0]))};
      Remedy remedy;
      for (size_t i = 0; i < group.size(); ++i) {
        remedy.push_back(absl::StrCat(group[i], "=", first[i]));
        if (first[i] != last[i]) absl::StrAppend(&remedy.back(), "..", last[i]);
      }
      return remedy;
    }
    return std::nullopt;
  }

  const Context& context_;
  const Expr predicate_;
  const Assignment& counterexample_;
  Assignment least_;           // bounds that suffice
  mutable uint64_t work_ = 0;  // done so far
};

thread_local int without_remedies = 0;

}  // namespace

WithoutRemedies::WithoutRemedies() { ++without_remedies; }

WithoutRemedies::~WithoutRemedies() { --without_remedies; }

std::vector<Remedy> FindRemedies(Context& context, const Expr& predicate,
                                 const Assignment& counterexample) {
  if (predicate.IsConstant() || predicate.IsInvalid() || without_remedies > 0) return {};
  if (!HasDataSize(context, predicate)) return Finder(context, predicate, counterexample).Run();
  // What is so for some data is seen when the network runs.
  for (const bool greatest : {true, false}) {
    const Expr extreme = AtExtreme(context, predicate, greatest);
    const absl::StatusOr<int64_t> value = Evaluate(extreme, counterexample);
    if (extreme.IsConstant() || !value.ok() || *value != 0) continue;
    std::vector<Remedy> remedies = Finder(context, extreme, counterexample).Run();
    if (!remedies.empty()) return remedies;
  }
  return {};
}

std::string ToText(const std::vector<Remedy>& remedies) {
  return absl::StrJoin(remedies, " or ", [](std::string* out, const Remedy& remedy) {
    absl::StrAppend(out, "`--dim ", absl::StrJoin(remedy, " --dim "), "`");
  });
}

void Attach(const Remedy& remedy, absl::Status& status, const std::string& constraint) {
  if (remedy.empty()) return;
  status.SetPayload(kPayload, absl::Cord(absl::StrJoin(remedy, "\n")));
  status.SetPayload(kConstraintPayload, absl::Cord(constraint));
}

std::string ConstraintOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kConstraintPayload);
  return payload.has_value() ? std::string(*payload) : "";
}

Remedy Attached(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return {};
  return absl::StrSplit(std::string(*payload), '\n');
}

}  // namespace tessera::solver

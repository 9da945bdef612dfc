#include "solver/remedy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::solver {
namespace {

constexpr int64_t kLargestModulus = 64;
// Sizes beyond which no bound is looked for.
constexpr int64_t kScanned = 4096;
// The same where two symbols are varied independently.
constexpr int64_t kScannedPairs = 128;
// Symbols of a proposition among which those are looked for that need declarations together.
constexpr size_t kMostSymbols = 4;
constexpr char kPayload[] = "tessera/remedy";

class Finder {
 public:
  Finder(const Context& context, const Expr& predicate, const Assignment& counterexample)
      : context_(context), predicate_(predicate), counterexample_(counterexample) {}

  std::vector<Remedy> Run() {
    const std::vector<std::string> symbols = SymbolsOf(predicate_);
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
    first([&](const std::string& symbol) { return EqualToAnother(symbol, symbols); });
    first([&](const std::string& symbol) { return Congruent(symbol); });
    if (!remedies.empty()) return remedies;
    std::vector<Group> groups;
    if (symbols.size() <= kMostSymbols) groups = Groups(symbols);
    for (const Group& group : groups) {
      for (const auto find : {&Finder::AllAtLeast, &Finder::AllCongruent}) {
        if (std::optional<Remedy> found = (this->*find)(group)) return {*std::move(found)};
      }
    }
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
    const std::unique_ptr<Context> trial = Copy(context_);
    if (!trial->Assume(fact(*trial), "").ok()) return false;
    return Decide(*trial, Transfer(*trial, predicate_)).kind == Verdict::kProved;
  }

  // The others as in the counterexample. No value: not defined there.
  std::optional<bool> HoldsAt(const std::string& symbol, int64_t value) const {
    Assignment assignment = counterexample_;
    assignment[symbol] = value;
    const absl::StatusOr<int64_t> result = Evaluate(predicate_, assignment);
    if (!result.ok()) return std::nullopt;
    return *result != 0;
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

  std::optional<std::string> Congruent(const std::string& symbol) const {
    const auto least = least_.find(symbol);
    for (int64_t modulus = 2; modulus <= kLargestModulus; ++modulus) {
      // Its multiples are merely large enough.
      if (least != least_.end() && modulus >= least->second) return std::nullopt;
      // Cheaply first.
      const auto fails = [&](int64_t factor) {
        return HoldsAt(symbol, factor * modulus) == std::optional<bool>(false);
      };
      if (fails(1) || fails(2) || fails(3)) continue;
      if (HoldsWith([&](Context& c) { return Eq(Mod(c.Symbol(symbol), modulus), 0); })) {
        return absl::StrCat(symbol, "%", modulus, "=0");
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
    if (most < range.lo || most == range.hi ||
        !HoldsWith([&](Context& c) { return Le(c.Symbol(symbol), most); }))
      return std::nullopt;
    return most == range.lo ? absl::StrCat(symbol, "=", most)
                            : absl::StrCat(symbol, "=", range.lo, "..", most);
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
    const absl::StatusOr<int64_t> result = Evaluate(predicate_, assignment);
    return result.ok() && *result != 0;
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
      bool holds = true;  // cheaply first: at (m, m, ...), (2m, m, ...), (m, 2m, ...), ...
      for (size_t doubled = 0; doubled <= group.size() && holds; ++doubled) {
        std::vector<int64_t> values(group.size(), modulus);
        if (doubled < group.size()) values[doubled] *= 2;
        for (size_t i = 0; i < group.size(); ++i) {
          const SymbolInfo* info = context_.Find(group[i]);
          while (info != nullptr && values[i] < info->range.lo && values[i] < kScanned)
            values[i] *= 2;
        }
        holds = HoldsAt(group, values);
      }
      if (holds &&
          HoldsForAll(group, [&](const Expr& size, size_t) { return Eq(Mod(size, modulus), 0); })) {
        Remedy remedy;
        for (const std::string& symbol : group)
          remedy.push_back(absl::StrCat(symbol, "%", modulus, "=0"));
        return remedy;
      }
    }
    return std::nullopt;
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
    Remedy remedy;
    for (const std::string& symbol : group)
      remedy.push_back(absl::StrCat(symbol, "=", least, ".."));
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
  Assignment least_;  // bounds that suffice
};

}  // namespace

std::vector<Remedy> FindRemedies(const Context& context, const Expr& predicate,
                                 const Assignment& counterexample) {
  if (predicate.IsConstant() || predicate.IsInvalid()) return {};
  return Finder(context, predicate, counterexample).Run();
}

std::string ToText(const std::vector<Remedy>& remedies) {
  return absl::StrJoin(remedies, " or ", [](std::string* out, const Remedy& remedy) {
    absl::StrAppend(out, "`--dim ", absl::StrJoin(remedy, " --dim "), "`");
  });
}

void Attach(const Remedy& remedy, absl::Status& status) {
  if (!remedy.empty()) status.SetPayload(kPayload, absl::Cord(absl::StrJoin(remedy, "\n")));
}

Remedy Attached(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return {};
  return absl::StrSplit(std::string(*payload), '\n');
}

}  // namespace tessera::solver

#include "solver/remedy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::solver {
namespace {

constexpr int64_t kLargestModulus = 64;
// Sizes beyond which no bound is looked for.
constexpr int64_t kScanned = 4096;

class Finder {
 public:
  Finder(const Context& context, const Expr& predicate, const Assignment& counterexample)
      : context_(context), predicate_(predicate), counterexample_(counterexample) {}

  std::vector<std::string> Run() {
    const std::vector<std::string> symbols = SymbolsOf(predicate_);
    std::vector<std::string> remedies;
    const auto first = [&](auto find) {
      for (const std::string& symbol : symbols) {
        if (std::optional<std::string> found = find(symbol)) {
          remedies.push_back(*std::move(found));
          return;
        }
      }
    };
    first([&](const std::string& symbol) { return Bounded(symbol); });
    first([&](const std::string& symbol) { return EqualToAnother(symbol, symbols); });
    first([&](const std::string& symbol) { return Congruent(symbol); });
    return remedies;
  }

 private:
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
    for (int64_t modulus = 2; modulus <= kLargestModulus; ++modulus) {
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

  std::optional<std::string> Bounded(const std::string& symbol) const {
    const SymbolInfo* info = context_.Find(symbol);
    if (info == nullptr || info->range.lo == Range::kNegInf) return std::nullopt;
    const int64_t least = info->range.lo;
    const int64_t last = std::min(info->range.hi, least + kScanned);
    int64_t first_failure = last + 1;
    int64_t last_failure = least - 1;
    for (int64_t value = least; value <= last; ++value) {
      if (HoldsAt(symbol, value) != std::optional<bool>(false)) continue;
      first_failure = std::min(first_failure, value);
      last_failure = value;
    }
    if (first_failure > last) return std::nullopt;
    if (first_failure > least &&
        HoldsWith([&](Context& c) { return Lt(c.Symbol(symbol), first_failure); })) {
      return absl::StrCat(symbol, "=", least, "..", first_failure - 1);
    }
    if (last_failure < last &&
        HoldsWith([&](Context& c) { return Gt(c.Symbol(symbol), last_failure); })) {
      return absl::StrCat(symbol, "=", last_failure + 1, "..");
    }
    return std::nullopt;
  }

  const Context& context_;
  const Expr predicate_;
  const Assignment& counterexample_;
};

}  // namespace

std::vector<std::string> FindRemedies(const Context& context, const Expr& predicate,
                                      const Assignment& counterexample) {
  if (predicate.IsConstant() || predicate.IsInvalid()) return {};
  return Finder(context, predicate, counterexample).Run();
}

}  // namespace tessera::solver

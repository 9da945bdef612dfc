#include "frontends/pt2/guard_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tessera::pt2_import {
namespace {

constexpr int kMaxDepth = 64;
// Up to this doubles are Python's integers, and quotients of them its quotients.
constexpr double kExact = 9007199254740992.0;

// As sizes grow. Rounding changes none of it.
enum class Trend : uint8_t { kSame, kRises, kFalls, kNone };

Trend Reversed(Trend trend) {
  return trend == Trend::kRises ? Trend::kFalls : trend == Trend::kFalls ? Trend::kRises : trend;
}
Trend Both(Trend a, Trend b) {
  if (a == Trend::kSame) return b;
  return b == Trend::kSame || a == b ? a : Trend::kNone;
}

// `trend` holds from the sizes on at which the value was computed.
struct Value {
  double number = 0;
  bool real = false;  // a float of Python
  Trend trend = Trend::kSame;
  bool constant() const { return trend == Trend::kSame; }
};

Trend TrendOfProduct(const Value& a, const Value& b) {
  if (b.constant()) return b.number < 0 ? Reversed(a.trend) : a.trend;
  if (a.constant()) return TrendOfProduct(b, a);
  const bool rise = a.trend == Trend::kRises && b.trend == Trend::kRises;
  return rise && a.number >= 0 && b.number >= 0 ? Trend::kRises : Trend::kNone;
}
Trend TrendOfQuotient(const Value& a, const Value& b) {
  if (b.constant()) return b.number < 0 ? Reversed(a.trend) : a.trend;
  const bool falls = a.constant() && a.number >= 0 && b.trend == Trend::kRises && b.number > 0;
  return falls ? Trend::kFalls : Trend::kNone;
}
Trend TrendOfPower(const Value& a, const Value& b) {
  const bool rise = (a.trend == Trend::kRises || a.constant()) && a.number >= 1 &&
                    (b.trend == Trend::kRises || b.constant());
  return a.constant() && b.constant() ? Trend::kSame : rise ? Trend::kRises : Trend::kNone;
}

// How the left side compares to the right one: -1, 0, 1.
struct Compared {
  std::string comparison;
  int order = 0;
  Trend trend = Trend::kSame;  // of the order

  bool Holds() const {
    return comparison == "=="   ? order == 0
           : comparison == "!=" ? order != 0
           : comparison == "<"  ? order < 0
           : comparison == "<=" ? order <= 0
           : comparison == ">"  ? order > 0
                                : order >= 0;
  }
};

class Reader {
 public:
  Reader(absl::string_view text, const InputSizes& sizes, const SizeValues& values)
      : rest_(text), sizes_(sizes), values_(values) {}

  std::optional<bool> Proposition() {
    const bool holds = Or();
    return Done() ? std::optional(holds) : std::nullopt;
  }
  std::optional<Compared> Comparison() {
    Compared compared = Compare();
    return Done() ? std::optional(std::move(compared)) : std::nullopt;
  }

 private:
  bool Done() {
    Skip();
    return ok_ && rest_.empty();
  }
  Value Fail() {
    ok_ = false;
    return {};
  }
  void Skip() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Take(absl::string_view mark) {
    Skip();
    return ok_ && absl::ConsumePrefix(&rest_, mark);
  }
  // A whole word.
  bool TakeWord(absl::string_view word) {
    Skip();
    if (!absl::StartsWith(rest_, word)) return false;
    const absl::string_view behind = rest_.substr(word.size());
    if (!behind.empty() && (absl::ascii_isalnum(static_cast<unsigned char>(behind[0])) ||
                            behind[0] == '_' || behind[0] == '.'))
      return false;
    rest_ = behind;
    return ok_;
  }
  absl::string_view Word() {
    Skip();
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), [](unsigned char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '.';
    });
    const absl::string_view word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }

  bool Or() {
    if (!ok_ || ++depth_ > kMaxDepth) return ok_ = false;
    bool holds = And();
    while (TakeWord("or")) holds = And() || holds;
    --depth_;
    return holds;
  }
  bool And() {
    bool holds = Not();
    while (TakeWord("and")) holds = Not() && holds;
    return holds;
  }
  bool Not() {
    bool negated = false;
    while (TakeWord("not")) negated = !negated;
    return Clause() != negated;
  }
  // Parentheses are of a proposition or of a number.
  bool Clause() {
    const absl::string_view rest = rest_;
    const int depth = depth_;
    if (Take("(")) {
      const bool holds = Or();
      if (Take(")")) {
        Skip();
        if (rest_.empty() || rest_[0] == ')' || absl::StartsWith(rest_, "and ") ||
            absl::StartsWith(rest_, "or "))
          return holds;
      }
      ok_ = --tries_ > 0;
      rest_ = rest;
      depth_ = depth;
    }
    return Compare().Holds();
  }

  Compared Compare() {
    Compared compared;
    const Value left = Bits();
    for (const char* comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Take(comparison)) continue;
      compared.comparison = comparison;
      const Value right = Bits();
      compared.order = left.number < right.number ? -1 : left.number > right.number ? 1 : 0;
      compared.trend = Both(left.trend, Reversed(right.trend));
      // What is too large to be exact is larger than any number that is not.
      if (std::abs(left.number) >= kExact && std::abs(right.number) >= kExact) Fail();
      return compared;
    }
    Fail();
    return compared;
  }

  // Whole numbers that are exact.
  bool AreWhole(const Value& a, const Value& b) {
    return !a.real && !b.real && std::abs(a.number) < kExact && std::abs(b.number) < kExact;
  }
  Value Made(double number, bool real, Trend trend) {
    if (!std::isfinite(number)) return Fail();
    return {number, real, trend};
  }
  Value Bits() {
    Value value = Sum();
    while (Take("&")) {
      const Value mask = Sum();
      if (!AreWhole(value, mask) || value.number < 0 || mask.number < 0) return Fail();
      const int64_t bits = static_cast<int64_t>(value.number) & static_cast<int64_t>(mask.number);
      const bool constant = value.constant() && mask.constant();
      value = Made(static_cast<double>(bits), false, constant ? Trend::kSame : Trend::kNone);
    }
    return value;
  }
  Value Sum() {
    if (!ok_ || ++depth_ > kMaxDepth) return Fail();
    Value value = Product();
    for (;;) {
      const bool minus = Take("-");
      if (!minus && !Take("+")) break;
      const Value term = Product();
      // Whole numbers that are not exact any more may cancel.
      if (std::abs(value.number) >= kExact || std::abs(term.number) >= kExact) return Fail();
      value = Made(minus ? value.number - term.number : value.number + term.number,
                   value.real || term.real,
                   Both(value.trend, minus ? Reversed(term.trend) : term.trend));
    }
    --depth_;
    return value;
  }
  Value Product() {
    Value value = Unary();
    for (;;) {
      if (Take("//")) {
        const Value by = Unary();
        if (!AreWhole(value, by) || by.number == 0) return Fail();
        value = Made(Floored(value.number, by.number), false, TrendOfQuotient(value, by));
      } else if (Take("/")) {
        const Value by = Unary();
        if (std::abs(value.number) >= kExact || std::abs(by.number) >= kExact || by.number == 0)
          return Fail();
        value = Made(value.number / by.number, true, TrendOfQuotient(value, by));
      } else if (Take("*")) {
        const Value by = Unary();
        const bool real = value.real || by.real;
        // Python rounds products of whole numbers only once they meet a float.
        if (real && (std::abs(value.number) >= kExact || std::abs(by.number) >= kExact))
          return Fail();
        value = Made(value.number * by.number, real, TrendOfProduct(value, by));
      } else if (Take("%")) {
        const Value by = Unary();
        if (!AreWhole(value, by) || by.number == 0) return Fail();
        const bool constant = value.constant() && by.constant();
        value = Made(value.number - Floored(value.number, by.number) * by.number, false,
                     constant ? Trend::kSame : Trend::kNone);
      } else {
        return value;
      }
    }
  }
  static double Floored(double value, double by) {
    const auto a = static_cast<int64_t>(value), b = static_cast<int64_t>(by);
    const int64_t quotient = a / b;
    return static_cast<double>(a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient);
  }
  Value Unary() {
    if (!ok_ || ++depth_ > kMaxDepth) return Fail();
    Value value;
    if (Take("-")) {
      value = Unary();
      value = Made(-value.number, value.real, Reversed(value.trend));
    } else {
      value = Power();
    }
    --depth_;
    return value;
  }
  Value Power() {
    const Value base = Primary();
    if (!Take("**")) return base;
    const Value exponent = Unary();
    if (!AreWhole(base, exponent) || base.number < 0 || exponent.number < 0) return Fail();
    double power = 1;
    // More factors of 0 or 1 change nothing, and more of others no comparison.
    for (int64_t i = std::min(static_cast<int64_t>(exponent.number), int64_t{128}); i > 0; --i)
      power = std::min(power * base.number, 1e300);
    return Made(power, false, TrendOfPower(base, exponent));
  }

  Value Size() {
    const std::optional<SizeText> size = TakeInputSize(rest_, sizes_);
    const std::optional<int64_t> number = size ? values_(*size) : std::nullopt;
    if (!number) return Fail();
    const Trend trend = size->symbols.empty() ? Trend::kSame
                        : size->whole         ? Trend::kRises
                                              : Trend::kNone;
    return Made(static_cast<double>(*number), false, trend);
  }
  Value Primary() {
    if (Take("(")) {
      const Value value = Bits();
      return Take(")") ? value : Fail();
    }
    const std::string word(Word());
    if (word == "L") return Size();
    if (!word.empty() && absl::ascii_isdigit(static_cast<unsigned char>(word[0])))
      return Number(word);
    if (!Take("(")) return Fail();
    std::vector<Value> arguments;
    do {
      arguments.push_back(Bits());
    } while (Take(","));
    return Take(")") ? Called(word, arguments) : Fail();
  }
  Value Number(const std::string& word) {
    double number = 0;
    std::string text = word;
    // `1e-05`, of which the sign is no part of the word.
    if (text.back() == 'e' && (absl::StartsWith(rest_, "-") || absl::StartsWith(rest_, "+"))) {
      text += rest_[0];
      rest_.remove_prefix(1);
      absl::StrAppend(&text, Word());
    }
    if (!absl::SimpleAtod(text, &number)) return Fail();
    int64_t whole = 0;
    const bool real = !absl::SimpleAtoi(text, &whole);
    return !real && std::abs(number) >= kExact ? Fail() : Made(number, real, Trend::kSame);
  }
  Value Called(const std::string& function, const std::vector<Value>& arguments) {
    const Value& a = arguments[0];
    if (arguments.size() == 2) {
      const Value& b = arguments[1];
      const bool greater = function == "max" || function == "torch.sym_max";
      if (!greater && function != "min" && function != "torch.sym_min") return Fail();
      return Made(greater ? std::max(a.number, b.number) : std::min(a.number, b.number),
                  a.real || b.real, Both(a.trend, b.trend));
    }
    if (arguments.size() != 1 || std::abs(a.number) >= kExact) return Fail();
    if (function == "torch.sym_float") return Made(a.number, true, a.trend);
    if (function == "math.floor") return Made(std::floor(a.number), false, a.trend);
    if (function == "math.ceil") return Made(std::ceil(a.number), false, a.trend);
    if (function == "math.trunc") return Made(std::trunc(a.number), false, a.trend);
    // Halves to even numbers, as Python's.
    if (function == "round") return Made(std::nearbyint(a.number), false, a.trend);
    if ((function == "torch._sym_sqrt" || function == "math.sqrt") && a.number >= 0)
      return Made(std::sqrt(a.number), true, a.trend);
    if (function == "abs") {
      const bool rises = a.trend == Trend::kRises && a.number >= 0;
      return Made(std::abs(a.number), a.real,
                  a.constant() ? Trend::kSame
                  : rises      ? Trend::kRises
                               : Trend::kNone);
    }
    return Fail();
  }

  absl::string_view rest_;
  const InputSizes& sizes_;
  const SizeValues& values_;
  bool ok_ = true;
  int depth_ = 0;
  int tries_ = 256;  // of readings that turned out to be others
};

}  // namespace

std::optional<bool> HoldsAt(absl::string_view guard, const InputSizes& sizes,
                            const SizeValues& values) {
  return Reader(guard, sizes, values).Proposition();
}

std::optional<std::vector<Guard>> BoundsWhereHolds(absl::string_view guard, const InputSizes& sizes,
                                                   int64_t least, int64_t most) {
  std::set<std::string> symbols;
  const auto at = [&](int64_t size) {
    const SizeValues values = [&](const SizeText& text) -> std::optional<int64_t> {
      int64_t number = 0;
      if (absl::SimpleAtoi(text.text, &number)) return number;
      if (!text.whole) return std::nullopt;
      symbols.insert(text.text);
      return size;
    };
    return Reader(guard, sizes, values).Comparison();
  };
  const std::optional<Compared> first = at(least);
  if (!first || symbols.size() != 1 ||
      (first->trend != Trend::kRises && first->trend != Trend::kFalls))
    return std::nullopt;
  const int sign = first->trend == Trend::kRises ? 1 : -1;
  // From which size on the order is at least, or past `most`. Nothing: not computed everywhere.
  const auto from = [&](int order) -> std::optional<int64_t> {
    int64_t low = least, high = most + 1;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const std::optional<Compared> compared = at(middle);
      if (!compared) return std::nullopt;
      if (sign * compared->order >= order) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  const std::optional<int64_t> equal = from(0), above = from(1);
  if (!equal || !above) return std::nullopt;
  std::vector<Guard> bounds;
  const auto bound = [&](const char* comparison, int64_t number) {
    Guard& made = bounds.emplace_back();
    made.left = {*symbols.begin(), symbols, true};
    made.comparison = comparison;
    made.right = {absl::StrCat(number), {}, true};
  };
  const auto holds = [&](int order) {
    Compared compared = *first;
    compared.order = sign * order;
    return compared.Holds();
  };
  const bool low = holds(-1), same = holds(0), high = holds(1);
  // The sizes are those below `equal`, those up to `above`, and the rest.
  if (low && !same && high) {
    constexpr int64_t kMostExcluded = 16;
    if (*above - *equal > kMostExcluded) return std::nullopt;
    for (int64_t size = *equal; size < *above; ++size) bound("!=", size);
    return bounds;
  }
  const int64_t begin = low ? least : same ? *equal : *above;
  const int64_t end = high ? most + 1 : same ? *above : *equal;
  if (begin >= end) return std::nullopt;
  if (begin > least) bound(">=", begin);
  if (end <= most) bound("<=", end - 1);
  return bounds;
}

}  // namespace tessera::pt2_import

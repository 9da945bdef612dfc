#include "recheck/guard_number.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "recheck/size_reader.h"

namespace tessera::recheck {
namespace {

constexpr int kMaxDepth = 48;
constexpr double kExact = 9007199254740992.0;  // doubles have all whole numbers up to this

// Python's numbers; a whole one beyond `kExact` is only known to be so large.
struct Number {
  double value = 0;
  bool whole = true;
  bool exact() const { return std::abs(value) < kExact; }
};

class Calculator {
 public:
  Calculator(absl::string_view text, const SizeNumbers& sizes) : rest_(text), sizes_(sizes) {}

  std::optional<bool> Holds() {
    const Number a = Masked();
    for (const char* comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Take(comparison)) continue;
      const Number b = Masked();
      rest_ = absl::StripLeadingAsciiWhitespace(rest_);
      if (!ok_ || !rest_.empty() || (!a.exact() && !b.exact())) return std::nullopt;
      switch (comparison[0]) {
        case '=':
          return a.value == b.value;
        case '!':
          return a.value != b.value;
        case '<':
          return comparison[1] == '=' ? a.value <= b.value : a.value < b.value;
        default:
          return comparison[1] == '=' ? a.value >= b.value : a.value > b.value;
      }
    }
    return std::nullopt;
  }

 private:
  Number Fail() {
    ok_ = false;
    return {};
  }
  Number Checked(double value, bool whole) {
    if (!std::isfinite(value)) return Fail();
    return {value, whole};
  }
  bool Take(absl::string_view mark) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return ok_ && absl::ConsumePrefix(&rest_, mark);
  }

  Number Masked() {
    Number a = Sum();
    while (Take("&")) {
      const Number b = Sum();
      if (!a.whole || !b.whole || !a.exact() || !b.exact() || a.value < 0 || b.value < 0)
        return Fail();
      a.value = static_cast<double>(static_cast<int64_t>(a.value) & static_cast<int64_t>(b.value));
    }
    return a;
  }
  Number Sum() {
    if (!ok_ || ++depth_ > kMaxDepth) return Fail();
    Number a = Product();
    for (;;) {
      const bool minus = Take("-");
      if (!minus && !Take("+")) break;
      const Number b = Product();
      if (!a.exact() || !b.exact()) return Fail();
      a = Checked(minus ? a.value - b.value : a.value + b.value, a.whole && b.whole);
    }
    --depth_;
    return a;
  }
  Number Product() {
    Number a = Signed();
    for (;;) {
      const bool floors = Take("//"), divides = !floors && Take("/");
      const bool leaves = !floors && !divides && Take("%");
      if (!floors && !divides && !leaves && !Take("*")) return a;
      const Number b = Signed();
      const bool whole = a.whole && b.whole;
      if ((floors || leaves) && !whole) return Fail();
      if (!(a.exact() && b.exact()) && (floors || leaves || divides || !whole)) return Fail();
      if ((floors || leaves || divides) && b.value == 0) return Fail();
      if (divides) {
        a = Checked(a.value / b.value, false);
      } else if (floors || leaves) {
        const auto x = static_cast<int64_t>(a.value), y = static_cast<int64_t>(b.value);
        int64_t left = x % y;
        if (left != 0 && (left < 0) != (y < 0)) left += y;
        a.value = static_cast<double>(leaves ? left : (x - left) / y);
      } else {
        a = Checked(a.value * b.value, whole);
      }
    }
  }
  Number Signed() {
    if (!ok_ || ++depth_ > kMaxDepth) return Fail();
    Number a;
    if (Take("-")) {
      a = Signed();
      a.value = -a.value;
    } else {
      a = Primary();
      if (Take("**")) a = Power(a, Signed());
    }
    --depth_;
    return a;
  }
  Number Power(const Number& base, const Number& exponent) {
    if (!base.whole || !exponent.whole || !base.exact() || !exponent.exact() || base.value < 0 ||
        exponent.value < 0)
      return Fail();
    const double most = std::min(exponent.value, 64.0);
    double value = 1;
    for (double i = 0; i < most; ++i) value = std::min(value * base.value, 2 * kExact);
    return {value, true};
  }

  Number Primary() {
    if (Take("(")) {
      const Number a = Masked();
      return Take(")") ? a : Fail();
    }
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    std::string word = Word();
    if (word == "L") {
      const auto place = TakeSizePlace(rest_);
      const auto size = place ? sizes_(place->first, place->second) : std::nullopt;
      return size ? Checked(static_cast<double>(*size), true) : Fail();
    }
    if (!word.empty() && absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) {
      // `1e-05`
      if (word.back() == 'e' && !rest_.empty() && (rest_[0] == '-' || rest_[0] == '+')) {
        word += rest_[0];
        rest_.remove_prefix(1);
        word += Word();
      }
      int64_t whole = 0;
      double value = 0;
      if (!absl::SimpleAtod(word, &value)) return Fail();
      return Checked(value, absl::SimpleAtoi(word, &whole));
    }
    if (!Take("(")) return Fail();
    std::vector<Number> arguments;
    do {
      arguments.push_back(Masked());
    } while (Take(","));
    return Take(")") ? Function(word, arguments) : Fail();
  }
  std::string Word() {
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), [](unsigned char c) {
      return absl::ascii_isalnum(c) || c == '_' || c == '.';
    });
    std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    return word;
  }
  Number Function(const std::string& name, const std::vector<Number>& arguments) {
    const Number& a = arguments[0];
    if (arguments.size() == 2 && (name == "torch.sym_max" || name == "max"))
      return a.value < arguments[1].value ? arguments[1] : a;
    if (arguments.size() == 2 && (name == "torch.sym_min" || name == "min"))
      return arguments[1].value < a.value ? arguments[1] : a;
    if (arguments.size() != 1 || !a.exact()) return Fail();
    if (name == "torch.sym_float") return {a.value, false};
    if (name == "math.trunc") return {std::trunc(a.value), true};
    if (name == "math.floor") return {std::floor(a.value), true};
    if (name == "math.ceil") return {std::ceil(a.value), true};
    if (name == "round") return {std::nearbyint(a.value), true};  // halves to even numbers
    if (name == "abs") return {std::abs(a.value), a.whole};
    if ((name == "torch._sym_sqrt" || name == "math.sqrt") && a.value >= 0)
      return {std::sqrt(a.value), false};
    return Fail();
  }

  absl::string_view rest_;
  const SizeNumbers& sizes_;
  bool ok_ = true;
  int depth_ = 0;
};

}  // namespace

std::optional<bool> GuardHolds(absl::string_view text, const SizeNumbers& sizes) {
  return Calculator(text, sizes).Holds();
}

}  // namespace tessera::recheck

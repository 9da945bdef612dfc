#include "recheck/size_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::recheck {
namespace {

constexpr int kMaxDepth = 48;
constexpr int64_t kMostFactors = 8;

// SymPy's and PyTorch's functions; each but powers joins its arguments from the left.
constexpr char kNames[] =
    "Add Mul FloorDiv CleanDiv Mod PythonMod Max Min torch.sym_max torch.sym_min Pow";
constexpr std::array<Operator, 10> kOperators = {
    Operator::kAdd, Operator::kMultiply, Operator::kFloorDiv, Operator::kFloorDiv, Operator::kMod,
    Operator::kMod, Operator::kMax,      Operator::kMin,      Operator::kMax,      Operator::kMin};

class Reader {
 public:
  Reader(absl::string_view text, const SizeNames& names, Terms& terms)
      : rest_(text), names_(names), terms_(terms) {}

  std::optional<Dim> Whole() {
    const Dim size = Sum();
    return Done() ? std::optional(size) : std::nullopt;
  }

  std::optional<Guard> Comparison() {
    Guard guard;
    guard.left = Sum();
    for (const char* comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Take(comparison)) continue;
      guard.comparison = comparison;
      guard.right = Sum();
      return Done() ? std::optional(guard) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool Done() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return ok_ && rest_.empty();
  }
  Dim Fail() {
    ok_ = false;
    return terms_.Integer(0);
  }
  bool Take(absl::string_view mark) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return ok_ && absl::ConsumePrefix(&rest_, mark);
  }
  std::string Word() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    });
    std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    return word;
  }
  std::string Quoted() {
    if (!Take("'")) return "";
    const size_t size = rest_.find('\'');
    if (size == absl::string_view::npos) return "";
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return text;
  }

  // Loosest first: `+ -`, `* // %`, unary `-`, `**`.
  Dim Sum() {
    if (!ok_ || ++depth_ > kMaxDepth) return Fail();
    Dim value = Product();
    for (;;) {
      if (Take("+")) {
        value = terms_.Make(Operator::kAdd, value, Product());
      } else if (Take("-")) {
        value = terms_.Make(Operator::kSubtract, value, Product());
      } else {
        --depth_;
        return value;
      }
    }
  }
  Dim Product() {
    Dim value = Signed();
    for (;;) {
      if (Take("//")) {
        value = terms_.Make(Operator::kFloorDiv, value, Signed());
      } else if (Take("*")) {
        value = terms_.Make(Operator::kMultiply, value, Signed());
      } else if (Take("%")) {
        value = terms_.Make(Operator::kMod, value, Signed());
      } else {
        return value;
      }
    }
  }
  Dim Signed() {
    bool negative = false;
    while (Take("-")) negative = !negative;
    Dim value = Primary();
    if (Take("**")) value = Power(value, Primary());
    return negative ? terms_.Make(Operator::kSubtract, terms_.Integer(0), value) : value;
  }
  Dim Power(Dim base, Dim exponent) {
    const std::optional<int64_t> times = terms_.Number(exponent);
    if (!times || *times < 1 || *times > kMostFactors) return Fail();
    Dim value = base;
    for (int64_t i = 1; i < *times; ++i) value = terms_.Make(Operator::kMultiply, value, base);
    return value;
  }

  Dim Named(std::optional<Dim> dim) { return dim ? *dim : Fail(); }
  Dim Symbol(const std::string& name) {
    return Named(name.empty() || !names_.symbol ? std::nullopt : names_.symbol(name));
  }
  Dim InputSize() {
    const auto place = TakeSizePlace(rest_);
    return place && names_.size ? Named(names_.size(place->first, place->second)) : Fail();
  }
  // `torch.sym_float(A)`, where floats hold sizes.
  Dim Floated() {
    if (!Take("torch.sym_float(")) return Product();
    const Dim value = Sum();
    return Take(")") ? value : Fail();
  }
  // A quotient of sizes, `A / 2`, or a product with a fraction that floats hold, `0.75*A`.
  Dim Rounded(Operator divide) {
    constexpr int64_t kParts = 4096;
    const absl::string_view rest = rest_;
    double factor = 0;
    if (absl::SimpleAtod(Word(), &factor) && Take("*") && factor > 0 && factor < kParts) {
      const double parts = factor * static_cast<double>(kParts);
      if (parts != std::floor(parts)) return Fail();
      const Dim product =
          terms_.Make(Operator::kMultiply, Floated(), terms_.Integer(static_cast<int64_t>(parts)));
      return terms_.Make(divide, product, terms_.Integer(kParts));
    }
    rest_ = rest;
    const Dim size = Floated();
    return Take("/") ? terms_.Make(divide, size, Signed()) : Fail();
  }
  Dim Primary() {
    if (Take("(")) {
      const Dim value = Sum();
      return Take(")") ? value : Fail();
    }
    const std::string word = Word();
    int64_t number = 0;
    if (absl::SimpleAtoi(word, &number)) return terms_.Integer(number);
    if (word == "L") return InputSize();
    if (!Take("(")) return Symbol(word);
    if (word == "Symbol") {
      const std::string name = Quoted();
      // `positive=True`
      while (Take(",")) {
        if (Word().empty() || !Take("=") || Word().empty()) return Fail();
      }
      return Take(")") ? Symbol(name) : Fail();
    }
    if (word == "math.trunc" || word == "math.floor") {
      const Dim value = Rounded(word == "math.trunc" ? Operator::kTruncDiv : Operator::kFloorDiv);
      return Take(")") ? value : Fail();
    }
    std::vector<Dim> arguments;
    do {
      arguments.push_back(Sum());
    } while (Take(","));
    if (!Take(")")) return Fail();
    if (word == "Integer") return arguments.size() == 1 ? arguments[0] : Fail();
    if (arguments.size() < 2) return Fail();
    const std::vector<std::string> names = absl::StrSplit(kNames, ' ');
    const auto function = std::find(names.begin(), names.end(), word);
    if (function == names.end()) return Fail();
    const auto at = static_cast<size_t>(function - names.begin());
    if (at == kOperators.size()) return Power(arguments[0], arguments[1]);
    Dim value = arguments[0];
    for (size_t i = 1; i < arguments.size(); ++i)
      value = terms_.Make(kOperators[at], value, arguments[i]);
    return value;
  }

  absl::string_view rest_;
  const SizeNames& names_;
  Terms& terms_;
  bool ok_ = true;
  int depth_ = 0;
};

}  // namespace

std::optional<Dim> ReadSize(absl::string_view text, const SizeNames& names, Terms& terms) {
  return Reader(text, names, terms).Whole();
}

std::optional<std::pair<std::string, int64_t>> TakeSizePlace(absl::string_view& rest) {
  std::string path;
  const auto take_until = [&](absl::string_view marks) {
    const absl::string_view taken = rest.substr(0, rest.find_first_of(marks));
    rest.remove_prefix(taken.size());
    return taken;
  };
  while (!absl::ConsumePrefix(&rest, ".size()[")) {
    absl::string_view step;
    if (absl::ConsumePrefix(&rest, "['")) {
      step = take_until("'");
      if (!absl::ConsumePrefix(&rest, "']")) return std::nullopt;
    } else if (absl::ConsumePrefix(&rest, "[\"")) {
      step = take_until("\"");
      if (!absl::ConsumePrefix(&rest, "\"]")) return std::nullopt;
    } else if (absl::ConsumePrefix(&rest, "[")) {
      step = take_until("]");
      if (!absl::ConsumePrefix(&rest, "]")) return std::nullopt;
    } else if (absl::ConsumePrefix(&rest, ".")) {
      step = take_until(".[");
    }
    if (step.empty() || absl::StrContains(step, '\\')) return std::nullopt;
    absl::StrAppend(&path, path.empty() ? "" : "_", step);
  }
  int64_t axis = 0;
  if (!absl::SimpleAtoi(take_until("]"), &axis) || !absl::ConsumePrefix(&rest, "]"))
    return std::nullopt;
  return std::pair(std::move(path), axis);
}

std::vector<std::string> PartsOfGuard(absl::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  while (!text.empty()) {
    const char c = text[0];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (depth == 0 && absl::ConsumePrefix(&text, " and ")) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
    text.remove_prefix(1);
  }
  return parts;
}

std::optional<Guard> ReadGuard(absl::string_view text, const SizeNames& names, Terms& terms) {
  return Reader(text, names, terms).Comparison();
}

}  // namespace tessera::recheck

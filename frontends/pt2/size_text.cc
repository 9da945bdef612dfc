#include "frontends/pt2/size_text.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::pt2_import {
namespace {

constexpr int kMaxDepth = 64;
constexpr int64_t kMostMask = (int64_t{1} << 31) - 1;
constexpr size_t kMaxText = 1 << 14;  // what an expression may grow to

// Functions of SymPy and PyTorch, each with the operator between its arguments or the solver's name
// of it.
constexpr char kFunctions[] =
    "Add +;Mul *;Pow **;FloorDiv floordiv;CleanDiv floordiv;Mod mod;PythonMod mod;Max max;Min min;"
    "torch.sym_max max;torch.sym_min min";

// Of quotients, with the solver's names.
constexpr std::pair<const char*, const char*> kRoundings[] = {
    {"math.trunc", "truncdiv"}, {"math.floor", "floordiv"}, {"math.ceil", "ceildiv"}};

// Empty: not known.
std::string MeaningOf(absl::string_view name) {
  for (absl::string_view entry : absl::StrSplit(kFunctions, ';')) {
    if (absl::ConsumePrefix(&entry, name) && absl::ConsumePrefix(&entry, " "))
      return std::string(entry);
  }
  return "";
}

class SizeReader {
 public:
  SizeReader(absl::string_view text, const InputSizes* sizes) : rest_(text), sizes_(sizes) {}

  absl::StatusOr<SizeText> Whole() {
    SizeText size = Take();
    Skip();
    if (!rest_.empty()) Fail();
    if (failed_) return Error();
    return size;
  }

  absl::StatusOr<Guard> Comparison() {
    Guard guard;
    guard.left = Take();
    for (const char* comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Accept(comparison)) continue;
      guard.comparison = comparison;
      guard.right = Take();
      Skip();
      if (!rest_.empty()) Fail();
      if (failed_) return Error();
      return guard;
    }
    return Error();
  }

 private:
  static absl::Status Error() { return absl::InvalidArgumentError("no size that can be read"); }

  SizeText Take() {
    symbols_.clear();
    SizeText size;
    size.text = Bits();
    size.symbols = symbols_;
    size.whole = whole_;
    return size;
  }
  std::string Fail() {
    failed_ = true;
    return "0";
  }
  void Skip() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Accept(absl::string_view word) {
    Skip();
    if (!absl::StartsWith(rest_, word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string Join(std::vector<std::string> parts, absl::string_view name, bool join) {
    whole_ = false;
    std::string text = join ? absl::StrCat("(", absl::StrJoin(parts, name), ")") : parts[0];
    // The solver's take two.
    for (size_t i = 1; !join && i < parts.size(); ++i)
      text = absl::StrCat(name, "(", text, ", ", parts[i], ")");
    return text.size() > kMaxText ? Fail() : text;
  }

  // `A & 7` is what 8 leaves of A.
  std::string Bits() {
    std::string text = Sum();
    while (Accept("&")) {
      int64_t mask = 0;
      if (!absl::SimpleAtoi(Word(), &mask) || mask < 1 || mask > kMostMask ||
          (mask & (mask + 1)) != 0)
        return Fail();
      text = Join({std::move(text), absl::StrCat(mask + 1)}, "mod", false);
    }
    return text;
  }
  std::string Sum() {
    if (failed_ || ++depth_ > kMaxDepth) return Fail();
    std::string left = Product();
    for (;;) {
      if (Accept("+")) {
        left = Join({left, Product()}, " + ", true);
      } else if (Accept("-")) {
        left = Join({left, Product()}, " - ", true);
      } else {
        --depth_;
        return left;
      }
    }
  }
  std::string Product() {
    std::string left = Unary();
    for (;;) {
      if (Accept("//")) {
        left = Join({left, Unary()}, "floordiv", false);
      } else if (Accept("*")) {
        left = Join({left, Unary()}, " * ", true);
      } else if (Accept("%")) {
        left = Join({left, Unary()}, "mod", false);
      } else {
        return left;
      }
    }
  }
  std::string Unary() {
    if (failed_ || ++depth_ > kMaxDepth) return Fail();
    std::string text;
    if (Accept("-")) {
      const std::string operand = Unary();
      text = absl::StrCat("(0 - ", operand, ")");
      whole_ = false;
    } else {
      text = Power();
    }
    --depth_;
    return text;
  }
  std::string Power() {
    std::string base = Primary();
    if (!Accept("**")) return base;
    return Raised(base, Primary());
  }
  std::string Raised(const std::string& base, absl::string_view exponent) {
    int64_t times = 0;
    if (!absl::SimpleAtoi(exponent, &times) || times < 1 || times > 8) return Fail();
    return Join(std::vector<std::string>(static_cast<size_t>(times), base), " * ", true);
  }

  absl::string_view Word() {
    Skip();
    size_t size = 0;
    while (size < rest_.size() &&
           (absl::ascii_isalnum(rest_[size]) || rest_[size] == '_' || rest_[size] == '.'))
      ++size;
    const absl::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  std::string Text() {  // in quotes
    if (!Accept("'")) return Fail();
    const size_t end = rest_.find('\'');
    if (end == absl::string_view::npos) return Fail();
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string Symbol(const std::string& name) {
    for (char c : name) {
      if (!absl::ascii_isalnum(c) && c != '_') return Fail();
    }
    if (name.empty() || absl::ascii_isdigit(name[0])) return Fail();
    symbols_.insert(name);
    whole_ = true;
    return name;
  }
  // `L['x'].size()[2]`, of which `L` is read.
  std::string InputSize() {
    const std::optional<SizeText> size =
        sizes_ == nullptr ? std::nullopt : TakeInputSize(rest_, *sizes_);
    if (!size) return Fail();
    symbols_.insert(size->symbols.begin(), size->symbols.end());
    whole_ = size->whole;
    return size->whole ? size->text : absl::StrCat("(", size->text, ")");
  }
  std::string Primary() {
    if (failed_) return "0";
    if (Accept("(")) {
      std::string text = Bits();
      if (!Accept(")")) return Fail();
      return text;
    }
    const std::string word(Word());
    if (word.empty()) return Fail();
    int64_t number = 0;
    if (absl::SimpleAtoi(word, &number)) {
      whole_ = true;
      return absl::StrCat(number);
    }
    if (word == "L") return InputSize();
    if (!Accept("(")) return Symbol(word);
    if (word == "Symbol") {
      const std::string name = Text();
      while (Accept(",")) Assumption();
      return Accept(")") ? Symbol(name) : Fail();
    }
    if (word == "Integer") {
      const bool negative = Accept("-");
      const std::string digits(Word());
      if (!absl::SimpleAtoi(digits, &number) || !Accept(")")) return Fail();
      whole_ = true;
      return negative ? absl::StrCat("(0 - ", number, ")") : absl::StrCat(number);
    }
    for (const auto& [function, divide] : kRoundings) {
      if (word != function) continue;
      std::string text = Quotient(divide);
      return Accept(")") ? text : Fail();
    }
    std::vector<std::string> arguments;
    do {
      arguments.push_back(Sum());
    } while (!failed_ && Accept(","));
    if (!Accept(")")) return Fail();
    const std::string meaning = MeaningOf(word);
    if (meaning.empty() || arguments.size() < 2) return Fail();
    if (meaning == "**") return arguments.size() == 2 ? Raised(arguments[0], arguments[1]) : Fail();
    const bool join = !absl::ascii_isalpha(static_cast<unsigned char>(meaning[0]));
    return Join(std::move(arguments), join ? absl::StrCat(" ", meaning, " ") : meaning, join);
  }
  // What is rounded of sizes: `A / 2`, `0.75*torch.sym_float(A)`.
  std::string Quotient(const char* divide) {
    const absl::string_view rest = rest_;
    double factor = 0;
    if (absl::SimpleAtod(Word(), &factor) && Accept("*") && factor > 0 && factor < 4096) {
      // Products by such fractions are exact in floats.
      constexpr double kParts = 4096;
      if (factor * kParts != std::floor(factor * kParts)) return Fail();
      std::string text = FloatOfSize();
      text =
          Join({absl::StrCat(static_cast<int64_t>(factor * kParts)), std::move(text)}, " * ", true);
      return Join({std::move(text), absl::StrCat(static_cast<int64_t>(kParts))}, divide, false);
    }
    rest_ = rest;
    std::string text = FloatOfSize();
    return Accept("/") ? Join({std::move(text), Unary()}, divide, false) : Fail();
  }
  std::string FloatOfSize() {
    if (!Accept("torch.sym_float(")) return Product();
    std::string text = Sum();
    return Accept(")") ? text : Fail();
  }
  // `positive=True`.
  void Assumption() {
    Word();
    if (!Accept("=") || Word().empty()) Fail();
  }

  absl::string_view rest_;
  const InputSizes* sizes_;
  std::set<std::string> symbols_;
  bool whole_ = false, failed_ = false;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<SizeText> ReadSize(absl::string_view text) {
  return SizeReader(text, nullptr).Whole();
}

absl::StatusOr<Guard> ReadGuard(absl::string_view text, const InputSizes& sizes) {
  return SizeReader(text, &sizes).Comparison();
}

}  // namespace tessera::pt2_import

#include "recheck/declarations.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tessera::recheck {
namespace {

constexpr char kReading[] = "--reading ";

std::string Trimmed(std::string_view text) {
  return std::string(absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size())));
}

// `name%modulus` in the declaration; false: it has none, or it is malformed.
bool ReadModulus(const std::string& left, Declaration& declaration) {
  const size_t percent = left.rfind('%');
  declaration.name = Trimmed(left.substr(0, percent));
  return percent != std::string::npos &&
         absl::SimpleAtoi(Trimmed(left.substr(percent + 1)), &declaration.modulus) &&
         declaration.modulus > 0;
}

std::optional<Declaration> Equality(const std::string& left, const std::string& right) {
  Declaration result{Declaration::kCongruence};
  if (ReadModulus(left, result))
    return absl::SimpleAtoi(right, &result.residue) ? std::optional(result) : std::nullopt;
  result = {Declaration::kRange, left};
  if (absl::SimpleAtoi(right, &result.low)) {
    result.high = result.low;
  } else {
    result = {Declaration::kEqual, left, right};
  }
  return result;
}

// A number, or an expression.
void ReadEnd(const std::string& text, int64_t& number, std::string& expression) {
  int64_t read = 0;
  if (absl::SimpleAtoi(text, &read)) {
    number = read;
  } else {
    expression = text;
  }
}

std::optional<Declaration> Given(std::string_view text) {
  if (text == "auto") return Declaration();
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string left = Trimmed(text.substr(0, equals)),
                    right = Trimmed(text.substr(equals + 1));
  const size_t dots = right.find("..");
  if (dots == std::string::npos) return Equality(left, right);
  Declaration range{Declaration::kRange, left, "", "", "", kLeastDim, kMostDim};
  const std::string low = Trimmed(right.substr(0, dots)), high = Trimmed(right.substr(dots + 2));
  if (!low.empty()) ReadEnd(low, range.low, range.lower);
  if (!high.empty()) ReadEnd(high, range.high, range.upper);
  return range;
}

// `H >= 32`, `1 <= T <= 6`, `H%2 == 0`, `S == P+T`, `L >= N+1`, `1 <= N <= L`.
std::optional<Declaration> Assumed(const std::string& text) {
  if (const size_t at = text.find(" == "); at != std::string::npos)
    return Equality(text.substr(0, at), text.substr(at + 4));
  Declaration range{Declaration::kRange, "", "", "", "", kLeastDim, kMostDim};
  if (const size_t at = text.find(" >= "); at != std::string::npos) {
    range.name = text.substr(0, at);
    ReadEnd(text.substr(at + 4), range.low, range.lower);
    return range;
  }
  const size_t first = text.find(" <= "), last = text.rfind(" <= ");
  if (first == std::string::npos || first == last) return std::nullopt;
  range.name = text.substr(first + 4, last - first - 4);
  if (!absl::SimpleAtoi(text.substr(0, first), &range.low)) return std::nullopt;
  ReadEnd(text.substr(last + 4), range.high, range.upper);
  return range;
}

// A program's symbols and inputs have plain names.
bool IsName(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

std::optional<Declaration> Said(const std::string& text) {
  std::optional<Declaration> of_one = Assumed(text);
  if (of_one && of_one->kind != Declaration::kEqual && of_one->lower.empty() &&
      of_one->upper.empty() && IsName(of_one->name))
    return of_one;
  return Declaration{Declaration::kRelation, "", text};
}

}  // namespace

std::optional<Declaration> ReadDeclaration(const std::string& option) {
  std::string_view text = option;
  constexpr std::string_view kDim = "--dim ", kAssumed = "assumed: ";
  if (text.substr(0, kDim.size()) == kDim) return Given(text.substr(kDim.size()));
  // That an output has the sizes that are computed, not those it is declared with, says nothing of
  // them.
  if (absl::StartsWith(option, "assumed: graph output `")) return Declaration();
  // That a newer opset means what the newest known does bears on what is derived, not on sizes.
  constexpr std::string_view kOpset = "assumed: opset ";
  if (text.substr(0, kOpset.size()) == kOpset && text.size() > kOpset.size() &&
      absl::ascii_isdigit(static_cast<unsigned char>(text[kOpset.size()])))
    return Declaration();
  // So does which reading of an operator was not chosen.
  if (absl::StartsWith(option, "assumed: `") &&
      absl::StrContains(option, absl::StrCat("` as the operator's text has it; with `", kReading)))
    return Declaration();
  if (text.substr(0, kAssumed.size()) == kAssumed) {
    if (absl::EndsWith(option, kProgramSays))
      return Said(option.substr(kAssumed.size(),
                                option.size() - kAssumed.size() - (sizeof(kProgramSays) - 1)));
    const size_t reason = text.find(" (");
    return Assumed(std::string(text.substr(
        kAssumed.size(), reason == std::string_view::npos ? reason : reason - kAssumed.size())));
  }
  if (absl::StartsWith(option, "--bind ") || absl::StartsWith(option, "--max-unroll ") ||
      absl::StartsWith(option, kReading))
    return Declaration();
  return std::nullopt;
}

bool IsRead(const std::vector<std::string>& options, const std::string& reading) {
  return std::find(options.begin(), options.end(), kReading + reading) != options.end();
}

}  // namespace tessera::recheck

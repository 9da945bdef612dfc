#include "frontends/onnx/dim_option.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontends/onnx/quoting.h"

namespace tessera::onnx_import {
namespace {

absl::string_view Trimmed(absl::string_view text) { return absl::StripAsciiWhitespace(text); }

// Digits only, at most kMaxDim.
std::optional<int64_t> Size(absl::string_view text) {
  int64_t value = 0;
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (!digits || !absl::SimpleAtoi(text, &value) || value > kMaxDim) return std::nullopt;
  return value;
}

// What an end of a range may be beside a number: `N+1`.
bool LooksComputed(absl::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalpha(c) || c == '_'; });
}

bool LooksLikeNumber(absl::string_view text) {
  // `2*floor(H/4)` is none.
  const bool computed = std::any_of(text.begin(), text.end(), absl::ascii_isalpha) &&
                        text.find_first_of("*/(+") != absl::string_view::npos;
  return !computed && !text.empty() &&
         (absl::ascii_isdigit(text[0]) || text[0] == '-' || text[0] == '+' || text[0] == '.');
}

}  // namespace

absl::StatusOr<DimOption> ParseDimOption(absl::string_view text) {
  const auto fail = [&](const std::string& reason) {
    return absl::InvalidArgumentError(
        absl::StrCat("dim option ", Quoted(text), ": ", reason,
                     "; forms are `N=1`, `H=1..4096`, `P=0..`, `H%8=0`, `A=B`, `S=P+T`, `L=N+1..`, "
                     "`N=1..L` with sizes from 0 to 2^31 - 1"));
  };
  DimOption option;
  option.text = std::string(text);
  const size_t equals = text.rfind('=');
  if (equals == absl::string_view::npos) return fail("no `=`");
  absl::string_view left = Trimmed(text.substr(0, equals));
  const absl::string_view right = Trimmed(text.substr(equals + 1));
  if (right.empty()) return fail("nothing after `=`");

  if (const size_t percent = left.rfind('%'); percent != absl::string_view::npos) {
    const absl::string_view modulus_text = Trimmed(left.substr(percent + 1));
    const std::optional<int64_t> modulus = Size(modulus_text), residue = Size(right);
    if (!modulus || *modulus < 1)
      return fail(absl::StrCat("modulus ", Quoted(modulus_text), " is no number >= 1"));
    if (!residue || *residue >= *modulus) {
      return fail(
          absl::StrCat("residue ", Quoted(right), " is no number below the modulus ", *modulus));
    }
    option.kind = DimOption::Kind::kCongruence;
    option.modulus = *modulus;
    option.residue = *residue;
    left = Trimmed(left.substr(0, percent));
  } else if (const size_t dots = right.find(".."); dots != absl::string_view::npos) {
    const absl::string_view low_text = Trimmed(right.substr(0, dots)),
                            high_text = Trimmed(right.substr(dots + 2));
    if (LooksComputed(low_text)) option.lower = std::string(low_text);
    if (LooksComputed(high_text)) option.upper = std::string(high_text);
    if (!option.lower.empty() && !high_text.empty())
      return fail("a range from what is computed has no other end");
    // An end left out is that of any dim, and so is one that is computed.
    const std::optional<int64_t> low =
        low_text.empty() || !option.lower.empty() ? kMinDim : Size(low_text);
    const std::optional<int64_t> high =
        high_text.empty() || !option.upper.empty() ? kMaxDim : Size(high_text);
    if (!low) return fail(absl::StrCat("lower bound ", Quoted(low_text), " is no size"));
    if (!high) return fail(absl::StrCat("upper bound ", Quoted(high_text), " is no size"));
    if (*low > *high) return fail(absl::StrCat("range from ", *low, " to ", *high, " is empty"));
    option.low = *low;
    option.high = *high;
  } else if (LooksLikeNumber(right)) {
    const std::optional<int64_t> value = Size(right);
    if (!value) return fail(absl::StrCat(Quoted(right), " is no size"));
    option.low = option.high = *value;
  } else {
    option.kind = DimOption::Kind::kEqual;
    option.other = std::string(right);
  }
  if (left.empty()) return fail("no name of a dim");
  option.name = std::string(left);
  return option;
}

std::string Proposition(const DimOption& option) {
  switch (option.kind) {
    case DimOption::Kind::kCongruence:
      return absl::StrCat(option.name, "%", option.modulus, " == ", option.residue);
    case DimOption::Kind::kEqual:
      return absl::StrCat(option.name, " == ", option.other);
    case DimOption::Kind::kRelation:
      return option.text;
    case DimOption::Kind::kRange:
      break;
  }
  if (!option.lower.empty()) return absl::StrCat(option.name, " >= ", option.lower);
  if (!option.upper.empty())
    return absl::StrCat(option.low, " <= ", option.name, " <= ", option.upper);
  if (option.low == option.high) return absl::StrCat(option.name, " == ", option.low);
  if (option.IsLeastSize()) return absl::StrCat(option.name, " >= ", option.low);
  return absl::StrCat(option.low, " <= ", option.name, " <= ", option.high);
}

std::string AssumptionText(const DimOption& option) {
  return absl::StrCat("assumed: ", Proposition(option), " (", option.assumed, ")");
}

absl::StatusOr<std::vector<DimOption>> ParseDimOptions(const std::vector<std::string>& texts) {
  std::vector<DimOption> options;
  for (const std::string& text : texts) {
    absl::StatusOr<DimOption> option = ParseDimOption(text);
    if (!option.ok()) return option.status();
    options.push_back(*std::move(option));
  }
  return options;
}

}  // namespace tessera::onnx_import

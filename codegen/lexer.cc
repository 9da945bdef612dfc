#include "codegen/lexer.h"

#include <cctype>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::codegen {
namespace {

// Longest first, so that the first match is the longest one.
constexpr absl::string_view kPuncts[] = {
    "...", "..", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "+=", "++", "{", "}", "(", ")",
    "[",   "]",  ",",  ":",  "?",  "=",  "<",  ">",  "+",  "-",  "*",  "/",  "!", "|", "."};

bool IsNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<Token> Lex(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics) {
  std::vector<Token> tokens;
  // What is cut off at the end is not looked at.
  const std::string text = source.text.substr(0, end);
  size_t i = begin;
  while (true) {
    while (i < text.size() && (std::isspace(static_cast<unsigned char>(text[i])) != 0)) ++i;
    if (absl::StartsWith(absl::string_view(text).substr(i), "//")) {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    const Place place{&source, i};
    if (i >= text.size()) {
      tokens.push_back(
          {Token::kEnd, end < source.text.size() ? "end of the expression" : "end of file", place});
      return tokens;
    }
    const size_t start = i;
    if (IsNameStart(text[i])) {
      while (i < text.size() && IsNamePart(text[i])) ++i;
      tokens.push_back({Token::kName, text.substr(start, i - start), place});
    } else if (IsDigit(text[i])) {
      bool real = false;
      while (i < text.size() && IsDigit(text[i])) ++i;
      if (i + 1 < text.size() && text[i] == '.' && IsDigit(text[i + 1])) {
        real = true;
        ++i;
        while (i < text.size() && IsDigit(text[i])) ++i;
      }
      if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        size_t j = i + 1;
        if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
        if (j < text.size() && IsDigit(text[j])) {
          real = true;
          i = j;
          while (i < text.size() && IsDigit(text[i])) ++i;
        }
      }
      tokens.push_back({real ? Token::kFloat : Token::kInt, text.substr(start, i - start), place});
    } else if (text[i] == '"') {
      ++i;
      while (i < text.size() && text[i] != '"' && text[i] != '\n') ++i;
      if (i >= text.size() || text[i] != '"') {
        diagnostics.Error(place, "string without closing quote");
      }
      tokens.push_back({Token::kString, text.substr(start + 1, i - start - 1), place});
      if (i < text.size()) ++i;
    } else {
      bool found = false;
      for (absl::string_view punct : kPuncts) {
        if (absl::StartsWith(absl::string_view(text).substr(i), punct)) {
          tokens.push_back({Token::kPunct, std::string(punct), place});
          i += punct.size();
          found = true;
          break;
        }
      }
      if (!found) {
        diagnostics.Error(place, absl::StrCat("unexpected character `", text.substr(i, 1), "`"));
        ++i;
      }
    }
  }
}

}  // namespace tessera::codegen

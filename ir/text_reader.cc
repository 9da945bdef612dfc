#include "ir/text_reader.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/draft.h"

namespace tessera::ir {
namespace {

constexpr size_t kLongestExcerpt = 200;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

absl::Status TextReader::status() const {
  if (ok()) return absl::OkStatus();
  const size_t place = std::min(error_at_, text_.size());
  const auto number =
      1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(place), '\n');
  size_t begin = place == 0 ? std::string_view::npos : text_.rfind('\n', place - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  size_t end = std::min(text_.find('\n', place), text_.size());
  // Of a long line, what is around the place.
  if (place - begin > kLongestExcerpt) begin = place - kLongestExcerpt;
  end = std::min(end, place + kLongestExcerpt);
  return absl::InvalidArgumentError(
      absl::StrCat("line ", number, ": ", error_, "\n",
                   WithCaret(text_.substr(begin, end - begin), place - begin, place - begin)));
}

void TextReader::FailAt(size_t place, std::string message) {
  if (!ok()) return;
  error_ = std::move(message);
  error_at_ = place;
}

void TextReader::Skip() {
  while (at_ < text_.size()) {
    if (IsSpace(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
}

size_t TextReader::place() {
  Skip();
  return at_;
}

bool TextReader::AtEnd() {
  Skip();
  return !ok() || at_ >= text_.size();
}

bool TextReader::Accept(std::string_view punctuation) {
  Skip();
  if (!ok() || text_.substr(at_, punctuation.size()) != punctuation) return false;
  token_ = at_;
  at_ += punctuation.size();
  return true;
}

bool TextReader::Expect(std::string_view punctuation) {
  if (Accept(punctuation)) return true;
  FailAt(at_, absl::StrCat("expected `", AbslView(punctuation), "`"));
  return false;
}

std::string_view TextReader::PeekName() {
  Skip();
  if (!ok()) return {};
  size_t end = at_;
  while (end < text_.size() && IsNameChar(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool TextReader::AcceptName(std::string_view name) {
  if (PeekName() != name || name.empty()) return false;
  token_ = at_;
  at_ += name.size();
  return true;
}

std::string_view TextReader::ExpectName(std::string_view what) {
  const std::string_view name = PeekName();
  token_ = at_;
  at_ += name.size();
  if (name.empty()) FailAt(at_, absl::StrCat("expected ", AbslView(what)));
  return name;
}

std::optional<std::string> TextReader::AcceptQuoted() {
  Skip();
  if (!ok() || at_ >= text_.size() || text_[at_] != '"') return std::nullopt;
  token_ = at_;
  std::string value;
  for (size_t i = at_ + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"') {
      at_ = i + 1;
      return value;
    }
    if (c == '\n') break;
    if (c != '\\') {
      value += c;
      continue;
    }
    const char escaped = i + 1 < text_.size() ? text_[i + 1] : '\0';
    const int high = i + 3 < text_.size() ? HexDigit(text_[i + 2]) : -1;
    const int low = i + 3 < text_.size() ? HexDigit(text_[i + 3]) : -1;
    if (escaped == '"' || escaped == '\\') {
      value += escaped;
      ++i;
    } else if (escaped == 'x' && high >= 0 && low >= 0) {
      value += static_cast<char>(high * 16 + low);
      i += 3;
    } else {
      FailAt(i, "expected `\\\\`, `\\\"` or `\\xHH`");
      return std::nullopt;
    }
  }
  FailAt(at_, "a string that does not end on its line");
  return std::nullopt;
}

std::string TextReader::ExpectQuoted(std::string_view what) {
  std::optional<std::string> value = AcceptQuoted();
  if (value) return *std::move(value);
  FailAt(at_, absl::StrCat("expected ", AbslView(what), " in quotes"));
  return "";
}

std::optional<int64_t> TextReader::AcceptInteger() {
  Skip();
  if (!ok()) return std::nullopt;
  int64_t value = 0;
  const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (end.ec == std::errc::result_out_of_range) {
    FailAt(at_, "an integer beyond 64 bits");
    return std::nullopt;
  }
  if (end.ec != std::errc()) return std::nullopt;
  token_ = at_;
  at_ = static_cast<size_t>(end.ptr - text_.data());
  return value;
}

int64_t TextReader::ExpectInteger() {
  const std::optional<int64_t> value = AcceptInteger();
  if (!value) FailAt(at_, "expected an integer");
  return value.value_or(0);
}

std::string_view TextReader::Word() {
  Skip();
  if (!ok()) return {};
  token_ = at_;
  while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != ',' && text_[at_] != ']' &&
         text_[at_] != '}') {
    ++at_;
  }
  return text_.substr(token_, at_ - token_);
}

std::string_view TextReader::Element() {
  Skip();
  if (!ok()) return {};
  token_ = at_;
  int depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '`') {
      const size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos) break;
      at_ = end;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (depth > 0 && (c == ')' || c == ']')) {
      --depth;
    } else if (c == '\n' || (depth == 0 && (c == ',' || c == ']' || c == '}'))) {
      break;
    }
  }
  return text_.substr(token_, at_ - token_);
}

std::string_view TextReader::RestOfLine() {
  if (!ok()) return {};
  while (at_ < text_.size() && text_[at_] != '\n' && IsSpace(text_[at_])) ++at_;
  token_ = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::string_view rest = text_.substr(token_, at_ - token_);
  rest = rest.substr(0, rest.find("//"));
  while (!rest.empty() && IsSpace(rest.back())) rest.remove_suffix(1);
  return rest;
}

}  // namespace tessera::ir

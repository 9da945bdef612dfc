#include "fuzz/targets/mutation.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"

namespace tessera::fuzz {
namespace {

using testing::Random;

constexpr size_t kMostBytes = size_t{1} << 20;

struct Piece {
  size_t begin = 0, size = 0;
};

size_t Place(const std::string& text, Random& random) {
  return static_cast<size_t>(random.Below(static_cast<int64_t>(text.size()) + 1));
}

Piece Range(const std::string& text, Random& random) {
  const size_t begin = Place(text, random);
  const auto left = static_cast<int64_t>(text.size() - begin);
  return {begin, static_cast<size_t>(random.Below(std::min<int64_t>(left, 64) + 1))};
}

bool IsNameLike(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Piece> Tokens(std::string_view text) {
  std::vector<Piece> tokens;
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (IsNameLike(text[i])) {
      while (end < text.size() && IsNameLike(text[end])) ++end;
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
      end = std::min(end + 1, text.size());
    }
    tokens.push_back({i, end - i});
    i = end;
  }
  return tokens;
}

std::vector<Piece> Lines(std::string_view text) {
  std::vector<Piece> lines;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find('\n', i), text.size() - 1) + 1;
    lines.push_back({i, end - i});
    i = end;
  }
  return lines;
}

std::string Limit(Random& random) {
  static const auto* const limits = new std::vector<std::string>{"0",
                                                                 "1",
                                                                 "-1",
                                                                 "2",
                                                                 "255",
                                                                 "256",
                                                                 "65536",
                                                                 "2147483647",
                                                                 "-2147483648",
                                                                 "2147483648",
                                                                 "4294967296",
                                                                 "9223372036854775807",
                                                                 "-9223372036854775808",
                                                                 "9223372036854775808",
                                                                 "1e308",
                                                                 "-0.0",
                                                                 "nan",
                                                                 "inf",
                                                                 "1e-320"};
  return random.Of(*limits);
}

}  // namespace

std::string WithOtherBytes(std::string bytes, Random& random) {
  for (int64_t changes = 1 + random.Below(4); changes > 0; --changes) {
    const Piece at = Range(bytes, random), other = Range(bytes, random);
    switch (random.Below(7)) {
      case 0:
        bytes.erase(at.begin, at.size);
        break;
      case 1:
        bytes.insert(at.begin, bytes.substr(other.begin, other.size));
        break;
      case 2:
        bytes.replace(at.begin, at.size, bytes.substr(other.begin, other.size));
        break;
      case 3:
        bytes.insert(at.begin, 1, static_cast<char>(random.Below(256)));
        break;
      case 4:
        bytes.resize(std::min(at.begin, bytes.size()));
        break;
      case 5:
        if (at.begin < bytes.size())
          bytes[at.begin] =
              static_cast<char>(random.OneIn(3) ? random.OneIn(2) ? 0xff : 0 : random.Below(256));
        break;
      default:
        if (at.begin < bytes.size())
          bytes[at.begin] = static_cast<char>(bytes[at.begin] ^ 1 << random.Below(8));
    }
  }
  if (bytes.size() > kMostBytes) bytes.resize(kMostBytes);
  return bytes;
}

std::string WithOtherTokens(std::string text, const std::vector<std::string>& words,
                            Random& random) {
  for (int64_t changes = 1 + random.Below(4); changes > 0; --changes) {
    const std::vector<Piece> pieces = random.OneIn(5) ? Lines(text) : Tokens(text);
    if (pieces.empty()) return words.empty() ? Limit(random) : random.Of(words);
    const Piece at = random.Of(pieces), other = random.Of(pieces);
    const std::string one = text.substr(at.begin, at.size),
                      two = text.substr(other.begin, other.size);
    std::string instead;
    switch (random.Below(8)) {
      case 0:
        break;
      case 1:
        instead = one + one;
        break;
      case 2:
        instead = one + two;
        break;
      case 3:
      case 4:
        instead = two;
        break;
      case 5:
        instead = words.empty() ? two : random.Of(words);
        break;
      case 6:
        instead = Limit(random);
        break;
      default:
        instead = one;
        instead[0] = static_cast<char>(random.Below(256));
    }
    text.replace(at.begin, at.size, instead);
  }
  if (text.size() > kMostBytes) text.resize(kMostBytes);
  return text;
}

std::vector<std::string> ParseDictionary(const std::string& text) {
  std::vector<std::string> words;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (line.empty() || line[0] == '#' || begin == end) continue;
    std::string word;
    if (absl::CUnescape(line.substr(begin + 1, end - begin - 1), &word))
      words.push_back(std::move(word));
  }
  return words;
}

}  // namespace tessera::fuzz

#include "report/markup.h"

#include <cstdint>
#include <limits>

namespace tessera::report {
namespace {

// Bytes of the character at `at`; 0 if what is there is no UTF-8 or cannot stand in XML.
size_t CharacterAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  const uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate || code == 0xfffe || code == 0xffff ? 0
                                                                                          : length;
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterAt(text, i);
    if (length == 0) {
      escaped += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    switch (text[i]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += text.substr(i, length);
    }
    i += length;
  }
  return escaped;
}

size_t Columns(std::string_view text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

std::string Shortened(std::string_view text, size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  size_t end = 0, kept = 0;
  while (end < text.size()) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++kept == columns) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "\xe2\x80\xa6";
}

std::vector<std::string> Wrapped(std::string_view text, size_t columns, size_t lines) {
  std::vector<std::string> wrapped;
  while (!text.empty()) {
    if (wrapped.size() + 1 == lines || Columns(text) <= columns) {
      wrapped.push_back(Shortened(text, columns));
      break;
    }
    // Better outside brackets than inside, and there after a comma: a term stays together.
    size_t end = 0, kept = 0, good = 0;
    int depth = 0, best = std::numeric_limits<int>::max();
    while (end < text.size()) {
      const char c = text[end];
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++kept > columns) break;
      depth += (c == '(' || c == '[') - (c == ')' || c == ']');
      ++end;
      const int cost = 2 * depth + (c == ' ' && depth > 0);
      if ((c != ' ' && c != ',') || cost > best || kept * 3 < columns) continue;
      best = cost;
      good = end;
    }
    if (good == 0) good = end;
    wrapped.emplace_back(text.substr(0, good));
    text.remove_prefix(good);
  }
  return wrapped;
}

}  // namespace tessera::report

#include "support/printable.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace tessera::support {
namespace {

// Bytes of the sequence that `first` begins by its own account; 0: it begins none.
size_t SequenceLength(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

// The code point of a sequence of that length; -1: overlong, a surrogate, or beyond Unicode.
int64_t Decode(std::string_view sequence) {
  constexpr uint8_t kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  constexpr int64_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  int64_t code = static_cast<uint8_t>(sequence[0]) & kFirstBits[sequence.size()];
  for (char c : sequence.substr(1)) code = code << 6 | (static_cast<uint8_t>(c) & 0x3f);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[sequence.size()] || surrogate || code > 0x10ffff ? -1 : code;
}

bool IsHarmless(int64_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;        // C0, DEL, C1
  if (code == 0x2028 || code == 0x2029) return false;                    // line, paragraph
  if (code == 0x061c || code == 0x200e || code == 0x200f) return false;  // marks of direction
  return !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  for (char c : bytes) {
    out += "\\x";
    out += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
    out += "0123456789abcdef"[static_cast<uint8_t>(c) & 15];
  }
}

// Appends what is printable of `text`. Stops before a sequence that `text` ends within; returns
// where.
size_t Append(std::string_view text, bool lines, std::string& out) {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n' || c == '\t') {
      out += lines ? std::string_view(&c, 1) : c == '\n' ? "\\n" : "\\t";
      ++i;
      continue;
    }
    const size_t length = SequenceLength(static_cast<uint8_t>(c));
    size_t found = 1;
    while (found < length && i + found < text.size() && IsContinuation(text[i + found])) ++found;
    if (found < length && i + found == text.size()) return i;
    const std::string_view sequence = text.substr(i, found);
    if (found == length && IsHarmless(Decode(sequence))) {
      out += sequence;
    } else {
      AppendEscaped(sequence, out);
    }
    i += found;
  }
  return text.size();
}

}  // namespace

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

std::string Printable(std::string_view text) {
  std::string out;
  AppendEscaped(text.substr(Append(text, false, out)), out);
  return out;
}

bool PrintableBuffer::Noting(bool done) {
  if (!done && error_ == 0) error_ = errno;
  return done;
}

bool PrintableBuffer::Send(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  errno = 0;
  return Noting(sink_->sputn(text.data(), size) == size);
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  begun_.append(text, static_cast<size_t>(size));
  std::string out;
  begun_.erase(0, Append(begun_, true, out));
  return Send(out) ? size : 0;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int PrintableBuffer::sync() {
  std::string out;
  AppendEscaped(begun_, out);
  begun_.clear();
  return Send(out) && Noting(sink_->pubsync() == 0) ? 0 : -1;
}

}  // namespace tessera::support

// Text inside markup.
#ifndef TESSERA_REPORT_MARKUP_H_
#define TESSERA_REPORT_MARKUP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::report {

// For elements and double-quoted attributes of XML and HTML. What XML cannot hold (control
// characters, bytes that are no UTF-8) becomes U+FFFD.
std::string Escaped(std::string_view text);

// At most `columns` characters, the last one an ellipsis if something is missing.
std::string Shortened(std::string_view text, size_t columns);

// The text over at most `lines` lines of at most `columns` characters, broken after blanks and
// commas where there are some; what is left over is cut with an ellipsis. No line for no text.
std::vector<std::string> Wrapped(std::string_view text, size_t columns, size_t lines);

// Characters, not bytes.
size_t Columns(std::string_view text);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_MARKUP_H_

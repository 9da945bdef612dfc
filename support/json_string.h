// Strings of JSON, for who writes what is too large to be made as a tree of values first.
#ifndef TESSERA_SUPPORT_JSON_STRING_H_
#define TESSERA_SUPPORT_JSON_STRING_H_

#include <string>
#include <string_view>

namespace tessera::support {

// Appends `value` in double quotes (RFC 8259, section 7). JSON holds UTF-8: bytes that are none
// become U+FFFD.
void AppendJsonString(std::string_view value, std::string& text);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_JSON_STRING_H_

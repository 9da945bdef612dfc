#include "recheck/printed_size.h"

#include <cstddef>
#include <string_view>

namespace tessera::recheck {

std::string AsStatement(std::string text) {
  constexpr std::string_view kFloor = "floor(";
  // From behind: what stands within another quotient comes first.
  for (size_t at = text.rfind(kFloor); at != std::string::npos;
       at = at == 0 ? std::string::npos : text.rfind(kFloor, at - 1)) {
    int depth = 0;
    for (size_t i = at + kFloor.size(); i < text.size() && depth >= 0; ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')') --depth;
      if (text[i] == '/' && depth == 0) text.replace(i, 1, ", ");
    }
    text.replace(at, kFloor.size(), "floordiv(");
  }
  return text;
}

}  // namespace tessera::recheck

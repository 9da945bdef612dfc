// The diagnostics that a C++ source can give, for the test that each of them is exercised.
#ifndef TESSERA_CODEGEN_MESSAGE_SCAN_H_
#define TESSERA_CODEGEN_MESSAGE_SCAN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::codegen {

// The literals of one call of `Error` or `Fail`, in order: between them stands what is seen at run
// time. Literals within a call of `Suggestion` are not among them.
struct MessagePattern {
  int line;
  std::vector<std::string> pieces;
};

// Calls without a literal pass a message on and are left out.
std::vector<MessagePattern> MessagesIn(absl::string_view source);

// The pieces occur in `line` one after the other.
bool Fits(const MessagePattern& pattern, absl::string_view line);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_MESSAGE_SCAN_H_

// Debian's Abseil has a string_view of its own, which does not convert from std::string_view.
#ifndef TESSERA_IR_ABSL_VIEW_H_
#define TESSERA_IR_ABSL_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace tessera::ir {

inline absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace tessera::ir

#endif  // TESSERA_IR_ABSL_VIEW_H_

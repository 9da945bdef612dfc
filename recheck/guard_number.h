// Guards of an exported program at sizes that are numbers, in Python's arithmetic.
#ifndef TESSERA_RECHECK_GUARD_NUMBER_H_
#define TESSERA_RECHECK_GUARD_NUMBER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tessera::recheck {

// Nothing: not known.
using SizeNumbers = std::function<std::optional<int64_t>(const std::string& input, int64_t axis)>;

// Of `left OP right`. Nothing: it is no such guard, or has no value.
std::optional<bool> GuardHolds(absl::string_view text, const SizeNumbers& sizes);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_GUARD_NUMBER_H_

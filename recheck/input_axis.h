// What a certificate calls an axis of an input: where a symbol comes from.
#ifndef TESSERA_RECHECK_INPUT_AXIS_H_
#define TESSERA_RECHECK_INPUT_AXIS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::recheck {

// "dim 2 of input `x`". A name that is not plain ASCII, or has a backtick, is escaped as in C with
// two hexadecimal digits for a byte; of one of more than 120 bytes those are left, and `...`.
std::string AxisOfInput(size_t axis, std::string_view input);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_INPUT_AXIS_H_

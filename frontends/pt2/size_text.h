// Sizes as an exported program writes them: SymPy's expressions (`4*s18`, `(s0 - 3)//2`), those
// that `srepr` prints (`Mul(Integer(4), Symbol('s18', integer=True))`), and its guards in Python
// (`L['x'].size()[2] % 8 == 0`).
#ifndef TESSERA_FRONTENDS_PT2_SIZE_TEXT_H_
#define TESSERA_FRONTENDS_PT2_SIZE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontends/pt2/input_size.h"

namespace tessera::pt2_import {

// Error: not of these forms.
absl::StatusOr<SizeText> ReadSize(absl::string_view text);

// `left OP right` of a guard; sizes of inputs by (input, axis) as `sizes` has them.
struct Guard {
  SizeText left, right;
  std::string comparison;  // `==`, `!=`, `<`, `<=`, `>`, `>=`
};
absl::StatusOr<Guard> ReadGuard(absl::string_view text, const InputSizes& sizes);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_SIZE_TEXT_H_

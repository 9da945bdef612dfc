// Sizes as an exported program writes them: SymPy's expressions (`4*s18`, `(s0 - 3)//2`), what its
// `srepr` prints (`Mul(Integer(4), Symbol('s18', integer=True))`), and guards in Python
// (`L['x'].size()[2] % 8 == 0`).
#ifndef TESSERA_RECHECK_SIZE_READER_H_
#define TESSERA_RECHECK_SIZE_READER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "recheck/terms.h"

namespace tessera::recheck {

// What its names stand for; nothing: not known.
struct SizeNames {
  std::function<std::optional<Dim>(const std::string& symbol)> symbol;
  std::function<std::optional<Dim>(const std::string& input, int64_t axis)> size;
};

// Nothing: it is not of these forms, or has a name that is not known.
std::optional<Dim> ReadSize(absl::string_view text, const SizeNames& names, Terms& terms);

struct Guard {
  Dim left = 0, right = 0;
  std::string comparison;  // `==`, `!=`, `<`, `<=`, `>`, `>=`
};
std::optional<Guard> ReadGuard(absl::string_view text, const SizeNames& names, Terms& terms);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_SIZE_READER_H_

// Sizes as an exported program writes them: SymPy's expressions (`4*s18`, `(s0 - 3)//2`), what its
// `srepr` prints (`Mul(Integer(4), Symbol('s18', integer=True))`), and guards in Python
// (`L['x'].size()[2] % 8 == 0`).
#ifndef TESSERA_RECHECK_SIZE_READER_H_
#define TESSERA_RECHECK_SIZE_READER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Of `L['xs'][0].size()[2]` takes what follows `L`: the path to the input, its steps joined by `_`,
// and the axis. Nothing: it is none.
std::optional<std::pair<std::string, int64_t>> TakeSizePlace(absl::string_view& rest);
// What is joined by `and`; itself, if nothing.
std::vector<std::string> PartsOfGuard(absl::string_view text);

struct Guard {
  Dim left = 0, right = 0;
  std::string comparison;  // `==`, `!=`, `<`, `<=`, `>`, `>=`
};
std::optional<Guard> ReadGuard(absl::string_view text, const SizeNames& names, Terms& terms);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_SIZE_READER_H_

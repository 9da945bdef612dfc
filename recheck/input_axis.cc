#include "recheck/input_axis.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::recheck {
namespace {

constexpr size_t kLongest = 120;

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string AxisOfInput(size_t axis, std::string_view input) {
  std::string_view name = input.substr(0, kLongest);
  if (name.size() < input.size()) {
    // The last character may have lost bytes: it goes.
    while (!name.empty() && Continues(name.back())) name.remove_suffix(1);
    if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80) name.remove_suffix(1);
  }
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](char c) { return c >= ' ' && c <= '~' && c != '`'; });
  return absl::StrCat(
      "dim ", axis, " of input `",
      plain ? std::string(name)
            : absl::StrReplaceAll(absl::CHexEscape({name.data(), name.size()}), {{"`", "\\x60"}}),
      name.size() < input.size() ? "...`" : "`");
}

}  // namespace tessera::recheck

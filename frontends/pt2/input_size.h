// Sizes of inputs as guards of a program write them: `L['x'].size()[2]`.
#ifndef TESSERA_FRONTENDS_PT2_INPUT_SIZE_H_
#define TESSERA_FRONTENDS_PT2_INPUT_SIZE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::pt2_import {

struct SizeText {
  std::string text;               // as solver::Parse reads it
  std::set<std::string> symbols;  // that it mentions
  bool whole = false;             // a single number or symbol
};

// By input and axis.
using InputSizes = std::map<std::pair<std::string, int64_t>, SizeText>;

// Takes what follows `L` off the text. Nothing: it is no size, or of no input that is known.
std::optional<SizeText> TakeInputSize(absl::string_view& rest, const InputSizes& sizes);

// Whether a guard speaks of sizes of inputs, and not of types or devices.
bool SpeaksOfSizes(absl::string_view guard);

// What a guard joins by `and`; itself, if nothing.
std::vector<absl::string_view> ConjunctsOf(absl::string_view guard);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_INPUT_SIZE_H_

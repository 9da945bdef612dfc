// Guards computed as Python does, in floats where these are (`0.3*torch.sym_float(...) > 2.5`),
// for sizes that are numbers.
#ifndef TESSERA_FRONTENDS_PT2_GUARD_VALUES_H_
#define TESSERA_FRONTENDS_PT2_GUARD_VALUES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "frontends/pt2/input_size.h"
#include "frontends/pt2/size_text.h"

namespace tessera::pt2_import {

using SizeValues = std::function<std::optional<int64_t>(const SizeText&)>;

// Nothing: it cannot be read, or has no value there.
std::optional<bool> HoldsAt(absl::string_view guard, const InputSizes& sizes,
                            const SizeValues& values);

// Of a guard that compares what never falls, or never rises, as one symbol does, with a number:
// what it comes down to between sizes `least` and `most` of the symbol. Nothing: it is none, or
// holds nowhere.
std::optional<std::vector<Guard>> BoundsWhereHolds(absl::string_view guard, const InputSizes& sizes,
                                                   int64_t least, int64_t most);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_GUARD_VALUES_H_

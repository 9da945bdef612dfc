// The sizes of an input as messages name them.
#ifndef TESSERA_FRONTENDS_DATA_SIZES_TEXT_H_
#define TESSERA_FRONTENDS_DATA_SIZES_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"

namespace tessera::data {

// `[1,?,28]`: an open size is a question mark.
std::string SizesText(absl::Span<const std::optional<int64_t>> sizes);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_SIZES_TEXT_H_

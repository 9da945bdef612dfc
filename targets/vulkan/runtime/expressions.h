// The expression table of a file, evaluated for one size of the inputs.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_EXPRESSIONS_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_EXPRESSIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

using Expressions = flatbuffers::Vector<flatbuffers::Offset<file::Expression>>;

// Whether every expression has the arguments that its operation takes, all before it, and symbols
// and axes below `symbols` and `axes`.
bool AreWellFormed(const Expressions& expressions, size_t symbols, size_t axes);

// One value per expression; none where it is undefined, as all that varies with an axis. The table
// is well-formed.
std::vector<std::optional<int64_t>> Evaluate(const Expressions& expressions,
                                             std::span<const int64_t> symbols);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_EXPRESSIONS_H_

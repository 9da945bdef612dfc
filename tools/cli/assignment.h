// `NAME=VALUE` arguments and where the tensors that they name come from.
#ifndef TESSERA_TOOLS_CLI_ASSIGNMENT_H_
#define TESSERA_TOOLS_CLI_ASSIGNMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::cli {

// Split at the first `=`; nullopt where there is none or nothing before it.
std::optional<std::pair<std::string, std::string>> SplitAssignment(std::string_view argument);

// `random:SEED` or `random:SEED:2x3x224x224`.
struct RandomSource {
  uint64_t seed = 0;
  std::optional<std::vector<int64_t>> shape;
};

inline bool IsRandomSource(std::string_view text) { return text.starts_with("random:"); }

// Error: what is wrong and the two forms.
absl::StatusOr<RandomSource> ParseRandomSource(std::string_view text);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_ASSIGNMENT_H_

// Algorithms by the names that configurations use. A new one is a line in algorithms.cc.
#ifndef TESSERA_PASSES_COMPRESSION_ALGORITHM_H_
#define TESSERA_PASSES_COMPRESSION_ALGORITHM_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/compression/builder.h"
#include "passes/compression/section.h"

namespace tessera::compression {

struct Algorithm {
  std::string_view name;
  Priority priority;
  std::string_view doc;
  absl::Span<const Key> keys;
  // `section` has these keys, of the right kinds. Errors are about combinations.
  absl::StatusOr<std::unique_ptr<Builder>> (*configure)(const Section& section);
  // The key of the part that it takes, if `schedule: bound` may lower that; empty: it has neither.
  std::string_view level = "";
};

// Keys that algorithms with a level have.
inline constexpr char kScheduleKey[] = "schedule", kBoundSchedule[] = "bound";
inline constexpr Key kSchedule = {kScheduleKey, Key::Kind::kText, "fixed",
                                  "`bound`: the target is the most; of 16 levels up to it the "
                                  "highest that keeps to `max_drop` or "
                                  "`min_snr`",
                                  "fixed|bound"};

// By name.
absl::Span<const Algorithm* const> Algorithms();
const Algorithm* FindAlgorithm(std::string_view name);  // null: none

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_ALGORITHM_H_

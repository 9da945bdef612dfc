// What is wrong with an artifact.
#ifndef TESSERA_TARGETS_FINDING_H_
#define TESSERA_TARGETS_FINDING_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tessera::targets {

struct Finding {
  bool is_error = true;  // or else a warning: it runs all the same
  std::string text;      // the place, what was seen there, and the rule
};

// The errors among `findings` (ten at most, and how many more there are) as one status.
absl::Status ErrorsOf(absl::Span<const Finding> findings);

}  // namespace tessera::targets

#endif  // TESSERA_TARGETS_FINDING_H_

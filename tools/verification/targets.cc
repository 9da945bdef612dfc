#include "tools/verification/target.h"

namespace tessera::verification {

absl::Span<const Target* const> Targets() { return {}; }

}  // namespace tessera::verification

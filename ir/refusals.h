// Operators of others that no definition imports, on purpose: what its user is told.
#ifndef TESSERA_IR_REFUSALS_H_
#define TESSERA_IR_REFUSALS_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace tessera::ir {

struct Refusal {
  enum Origin : uint8_t { kOnnx, kAten } origin;
  std::string_view name;  // of ATen's, without an overload
  std::string_view reason;
};

// Not thread-safe, unlike what follows. Adding one twice is a no-op.
void AddRefusals(absl::Span<const Refusal> refusals);
// Empty: nothing is said of it.
std::string_view RefusalOf(Refusal::Origin origin, std::string_view name);

}  // namespace tessera::ir

#endif  // TESSERA_IR_REFUSALS_H_

#include "targets/npu/pwl/segment.h"

#include <algorithm>

namespace tessera::npu {

int64_t ValueOf(absl::Span<const TableSegment> segments, int64_t x) {
  if (x <= segments[0].position()) return segments[0].value;
  const auto after = std::upper_bound(
      segments.begin(), segments.end(), x,
      [](int64_t at, const TableSegment& segment) { return at < segment.position(); });
  return (after - 1)->At(x);
}

}  // namespace tessera::npu

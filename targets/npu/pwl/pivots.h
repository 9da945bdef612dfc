// How many segments the method of the known plugin takes, for comparison alone.
#ifndef TESSERA_TARGETS_NPU_PWL_PIVOTS_H_
#define TESSERA_TARGETS_NPU_PWL_PIVOTS_H_

#include <cstdint>

#include "targets/npu/pwl/curves.h"

namespace tessera::npu {

// Each part of a curve that is convex or concave is approximated by tangents, which are moved by
// half of the error towards the curve; where the errors at all meeting points are equal, none is
// greater than need be. `error` in units of the curve. The plugin's search stops within a tenth of
// that and adds segments at both ends, which are not counted: this is the fewest it can take.
int64_t PivotSegments(const Curve& curve, double error);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_PIVOTS_H_

// Scales that depend on the data, as networks have them that quantize each value by its own range.
#ifndef TESSERA_TARGETS_NPU_MEASURED_SCALES_H_
#define TESSERA_TARGETS_NPU_MEASURED_SCALES_H_

#include "passes/pass.h"
#include "targets/npu/options.h"

namespace tessera::npu {

// The device has scales that are known: in place of one that each run computes anew, with its zero
// point, stands the one that covers what calibration sees of all of them, and a sixteenth more.
// Without data, or ranges of all inputs, the graph stays as it is.
passes::Pass MeasuredScalesPass(const CompileOptions& options);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MEASURED_SCALES_H_

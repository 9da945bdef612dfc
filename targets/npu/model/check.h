// Whether a generation of the device runs a model: its limits, and that the operands of each
// operation agree.
#ifndef TESSERA_TARGETS_NPU_MODEL_CHECK_H_
#define TESSERA_TARGETS_NPU_MODEL_CHECK_H_

#include <optional>
#include <string_view>

#include "targets/npu/device/device.h"
#include "targets/npu/model/limit_log.h"
#include "targets/npu/model/model.h"
#include "targets/npu/model/violation.h"

namespace tessera::npu {

// The first violation in the order in which the device's library looks, so that both name the same
// one; null where there is none. What the library leaves unchecked (sizes that contradict each
// other) comes last for each operation. What is asked and met goes to `log`, if there is one.
std::optional<Violation> CheckModel(const Model& model, const Device& device,
                                    LimitLog* log = nullptr);

// Which layer of the device an operation is (device.h); a convolution without the legacy layout is
// `convolution_row` where it meets all limits of that, else `convolution_2d`.
std::string_view LayerOf(const Operation& operation, const Device& device);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_CHECK_H_

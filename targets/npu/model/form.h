// Operands and parameters that an operation has whatever the generation.
#ifndef TESSERA_TARGETS_NPU_MODEL_FORM_H_
#define TESSERA_TARGETS_NPU_MODEL_FORM_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "targets/npu/model/layer_check.h"

namespace tessera::npu {

// What the library says of sizes that leave no position.
inline constexpr int64_t kNoPosition = -37;

// What an operation of the type needs, and no more than it takes.
void CheckForm(const Operation& operation, LayerCheck& check);
void NeedParameter(const Operation& operation, std::string_view parameter, LayerCheck& check);
// The parameter has one of the values; the first where it is not given.
void ParameterIn(const Operation& operation, std::string_view parameter,
                 const std::vector<int64_t>& values, LayerCheck& check);

// Convolutions of the legacy layout (`convolution_1d`), and those that are or stand for an image,
// as the `layer` of that name.
std::optional<Violation> CheckLegacyConvolution(const Operation& operation, const Device& device,
                                                LimitLog* log);
std::optional<Violation> CheckImage(const Operation& operation, const Device& device,
                                    std::string_view layer, LimitLog* log);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_FORM_H_
